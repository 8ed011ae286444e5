"""Names computed here are the names git gives."""

import shutil
import subprocess
from pathlib import Path

import pytest

from replay.gitids import WHO, blob_id, commit_id, tree_id

FILES = {
    "train.py": ("100644", b"print(1)\n"),
    "lib/a.py": ("100755", b""),
    "lib.txt": ("100644", b"x"),
    "lib-b": ("100644", b"y"),
}


def test_known_names() -> None:
    """The empty blob and the empty tree have famous names."""
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert tree_id({}) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with the git program")
def test_git_agrees(tmp_path: Path) -> None:
    """Files, folders and their order give the tree and commit that git makes."""

    def git(*words: str, given: bytes = b"") -> str:
        command = ["git", "--git-dir", str(tmp_path / "r"), *words]
        environment = {"PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(tmp_path)}
        who = dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "amid")
        who |= dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "amid@localhost")
        who |= dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "@0 +0000")
        done = subprocess.run(
            command, input=given, capture_output=True, check=True, env=environment | who
        )
        return done.stdout.decode().strip()

    git("init", "-q", "--bare")
    for path, (mode, content) in FILES.items():
        name = git("hash-object", "-w", "--stdin", given=content)
        git("update-index", "--add", "--cacheinfo", f"{mode},{name},{path}")

    tree = tree_id(FILES)
    assert git("write-tree") == tree

    message = git("cat-file", "-p", git("commit-tree", tree, given=b"m\n"))
    assert f"author {WHO}" in message
    assert git("commit-tree", tree, given=b"m\n") == commit_id(tree, None, "m\n")
