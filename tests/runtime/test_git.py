"""Worktrees are hostile: nothing of them runs, and only plain text files become commits."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.adapters.git import GitWorkspace
from runtime.adapters.git_tree import MAX_BYTES, MAX_FILES
from runtime.errors import WorktreeRefused


def git(repository: Path, *words: str) -> str:
    """Ask the real git, which is not used by the code under test."""
    clean = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
    answer = subprocess.run(
        ["git", f"--git-dir={repository}", *words],
        env=clean, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return answer.stdout


@pytest.fixture
def workspace(tmp_path: Path) -> GitWorkspace:
    return GitWorkspace(tmp_path)


def test_git_itself_reads_and_accepts_what_was_written(
    workspace: GitWorkspace, tmp_path: Path
) -> None:
    worktree = workspace.open("w-1", None)
    (worktree / "a").mkdir()
    (worktree / "a" / "b.py").write_text("deep\n")
    (worktree / "a.py").write_text("sorts before the folder a/\n")
    (worktree / "attempt.toml").write_text("é\n", encoding="utf-8")
    frozen = workspace.freeze("w-1", "turn 1 of w-1")
    repository = tmp_path / "repo.git"

    assert "dangling" not in git(repository, "fsck", "--strict", "--full")
    assert git(repository, "rev-parse", "refs/amid/w-1").strip() == frozen.commit
    assert (
        git(repository, "show", "-s", "--format=%an %ae %at %cn %ct %B", frozen.commit).split("\n")[
            0
        ]
        == "amid amid@localhost 0 amid 0 turn 1 of w-1"
    )
    listed = git(repository, "ls-tree", "-r", "--name-only", frozen.commit).split()
    assert listed == [file.path for file in sorted(frozen.files, key=lambda file: file.path)]


def test_a_hostile_git_folder_is_refused_and_nothing_of_it_runs(
    workspace: GitWorkspace, tmp_path: Path
) -> None:
    worktree = workspace.open("w-1", None)
    canary = tmp_path / "canary"
    subprocess.run(["git", "init", "-q", str(worktree)], check=True)
    hook = worktree / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {canary}\n")
    hook.chmod(0o755)
    with (worktree / ".git" / "config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = "touch {canary}"\n')
        config.write(f'[filter "x"]\n\tclean = "touch {canary}; cat"\n\tsmudge = cat\n')
    (worktree / "train.py").write_text("pass\n")

    with pytest.raises(WorktreeRefused, match="git acts on"):
        workspace.freeze("w-1", "turn 1")

    workspace.open("w-1", None)
    assert not canary.exists()


@pytest.mark.parametrize(
    "name", [".git", ".GIT", ".gitattributes", ".gitmodules", "lib/.git", ".git."]
)
def test_names_that_git_acts_on_are_refused(workspace: GitWorkspace, name: str) -> None:
    path = workspace.open("w-1", None) / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("* filter=x\n")

    with pytest.raises(WorktreeRefused, match="git acts on"):
        workspace.freeze("w-1", "turn 1")


def test_modules_that_would_shadow_ours_are_only_files(
    workspace: GitWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worktree = workspace.open("w-1", None)
    canary = tmp_path / "canary"
    bad = f"open({str(canary)!r}, 'w').close()\n"
    (worktree / "runtime").mkdir()
    for name in ("runtime/__init__.py", "sitecustomize.py", "gitdb.py", "usercustomize.py"):
        (worktree / name).write_text(bad)
    monkeypatch.chdir(tmp_path)

    frozen = workspace.freeze("w-1", "turn 1")

    assert len(frozen.files) == 4
    assert not canary.exists()


def link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def link_folder(path: Path) -> None:
    path.symlink_to("/etc")


def hard_link(path: Path) -> None:
    (path.parent.parent / "secret").write_text("x")
    os.link(path.parent.parent / "secret", path)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def large(path: Path) -> None:
    path.write_text("x" * MAX_BYTES)


def binary(path: Path) -> None:
    path.write_bytes(b"\x93NUMPY")


def nul(path: Path) -> None:
    path.write_bytes(b"a\0b")


def many(path: Path) -> None:
    for index in range(MAX_FILES + 1):
        (path.parent / f"f{index}.py").write_text("")


def bad_utf8_name(path: Path) -> None:
    Path(os.fsdecode(os.fsencode(path) + b"\xff")).write_text("")


def control_name(path: Path) -> None:
    (path.parent / "a\nb.py").write_text("")


def loose_accent(path: Path) -> None:
    (path.parent / "e\u0301.py").write_text("")


def deep(path: Path) -> None:
    (path.parent / "/".join("a" * 12)).mkdir(parents=True)


@pytest.mark.parametrize(
    ("plant", "says"),
    [
        (link, "symbolic link"),
        (link_folder, "symbolic link"),
        (hard_link, "hard link"),
        (pipe, "a pipe"),
        (large, "not under 256 kB"),
        (binary, "not text"),
        (nul, "not text"),
        (many, "more than 200 files"),
        (bad_utf8_name, "not UTF-8"),
        (control_name, "control character"),
        (loose_accent, "loose accents"),
        (deep, "too deep"),
    ],
)
def test_what_is_not_a_small_text_file_is_refused(
    workspace: GitWorkspace, plant: Callable[[Path], None], says: str
) -> None:
    worktree = workspace.open("w-1", None)
    plant(worktree / "thing.py")

    with pytest.raises(WorktreeRefused, match=says):
        workspace.freeze("w-1", "turn 1")


def test_python_caches_and_empty_folders_are_left_out(workspace: GitWorkspace) -> None:
    worktree = workspace.open("w-1", None)
    (worktree / "__pycache__").mkdir()
    (worktree / "__pycache__" / "train.cpython-311.pyc").write_bytes(b"\x00\xff")
    (worktree / "empty").mkdir()
    (worktree / "train.py").write_text("pass\n")

    assert [file.path for file in workspace.freeze("w-1", "turn 1").files] == ["train.py"]


def test_leftovers_of_a_crash_are_cleared_at_open(workspace: GitWorkspace, tmp_path: Path) -> None:
    worktree = workspace.open("w-1", None)
    (worktree / "train.py").write_text("pass\n")
    base = workspace.freeze("w-1", "turn 1").commit
    (tmp_path / "repo.git" / "index.lock").write_text("")
    (tmp_path / "repo.git" / "refs" / "amid" / "w-1.lock").write_text("half")
    making = tmp_path / "work" / ".w-1.making"
    making.mkdir()
    (making / "half").write_text("")
    (worktree / "shut").mkdir(mode=0o000)
    worktree.chmod(0o500)

    again = GitWorkspace(tmp_path).open("w-1", base)

    assert [path.name for path in again.iterdir()] == ["train.py"]
    assert not making.exists()
    assert GitWorkspace(tmp_path).freeze("w-1", "turn 2").parent == base


def test_a_worktree_that_is_a_link_is_removed_not_followed(
    workspace: GitWorkspace, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("")
    (tmp_path / "work" / "w-1").symlink_to(elsewhere)

    with pytest.raises(WorktreeRefused, match="not there as a folder"):
        workspace.freeze("w-1", "turn 1")

    workspace.open("w-1", None)
    assert (elsewhere / "kept").exists()


def test_an_object_emptied_by_a_crash_is_written_again(
    workspace: GitWorkspace, tmp_path: Path
) -> None:
    (workspace.open("w-1", None) / "train.py").write_text("pass\n")
    frozen = workspace.freeze("w-1", "turn 1")
    objects = tmp_path / "repo.git" / "objects"
    for path in objects.rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"")

    with pytest.raises(WorktreeRefused, match="missing or damaged"):
        GitWorkspace(tmp_path).open("w-1", frozen.commit)

    fresh = GitWorkspace(tmp_path)
    fresh.restore(frozen)

    assert (fresh.open("w-1", frozen.commit) / "train.py").read_text() == "pass\n"


@pytest.mark.parametrize("name", ["../w", "", "W", "a/b", ".hidden", "w" * 200])
def test_a_worker_name_must_be_a_plain_name(workspace: GitWorkspace, name: str) -> None:
    with pytest.raises(WorktreeRefused, match="cannot name a folder"):
        workspace.open(name, None)


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)
NAME = st.text("abcXYZ019_-é", min_size=1, max_size=8)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(files=st.dictionaries(NAME.map(lambda name: f"d-{name}/{name}.py"), TEXT, max_size=6))
def test_freeze_then_open_gives_the_files_back(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, str]
) -> None:
    workspace = GitWorkspace(tmp_path_factory.mktemp("run"))
    worktree = workspace.open("w-1", None)
    for name, text in files.items():
        (worktree / name).parent.mkdir(exist_ok=True)
        (worktree / name).write_bytes(text.encode())

    frozen = workspace.freeze("w-1", "turn 1")
    again = workspace.open("w-2", frozen.commit)

    assert {file.path: file.content.decode() for file in frozen.files} == files
    assert {name: (again / name).read_bytes().decode() for name in files} == files


def test_freezing_four_files_is_quick(workspace: GitWorkspace) -> None:
    worktree = workspace.open("w-1", None)
    spent = []
    for turn in range(5):
        for index in range(4):
            (worktree / f"f{index}.py").write_text(f"{turn}\n" * 500)
        before = time.perf_counter()
        workspace.freeze("w-1", f"turn {turn}")
        spent.append(time.perf_counter() - before)

    assert min(spent) < 0.06
