"""Worktrees as plain folders, and commits made of them without git ever looking inside.

Nothing here runs the git program. A worktree is walked by `runtime.adapters.git_tree`, its files
become blobs, trees and a commit through gitdb (the object store of GitPython), with a fixed author
and date. So no configuration, hook, filter or `.git` of a worktree can take effect: there is no
program that would read them. `RUN/repo.git` is nonetheless an ordinary bare repository. It is a
convenience, not evidence: every file of a commit is also a blob of the ledger, so nothing is
flushed to disk here, and what a power cut damages is made again by `restore`.
"""

import os
import re
import shutil
import stat
from pathlib import Path

from runtime.adapters.git_objects import Objects
from runtime.adapters.git_tree import check_files, read_tree, write_tree
from runtime.errors import WorktreeRefused
from runtime.ports import Frozen

_WORKER = re.compile(r"[a-z0-9][a-z0-9-]{0,119}")
_COMMIT = re.compile(r"[0-9a-f]{40}")


class GitWorkspace:
    """`runtime.ports.Workspace` over `RUN/repo.git` and `RUN/work/`.

    `refs/amid/<worker>` is where a worker stands: the parent of its next commit. Every commit also
    gets `refs/commits/<id>`, so none becomes unreachable when a worker starts afresh.
    """

    def __init__(self, run: Path) -> None:
        """Use the repository of a run folder, making it when it is not there yet."""
        self._repository = run / "repo.git"
        self._work = run / "work"
        self._work.mkdir(exist_ok=True)
        _lay_out_bare(self._repository)
        self._objects = Objects(self._repository / "objects")

    def open(self, worker: str, base: str | None) -> Path:
        """Make the worker's worktree afresh at commit `base` (None: empty) and return its path.

        Whatever lies there, whole or half made, is thrown away first.

        Raises:
            WorktreeRefused: the worker's name is no plain name, or `base` is not in the repository.
        """
        place = self._place(worker)
        files = () if base is None else self._objects.read_commit(_commit_id(base)).files
        making = self._work / f".{worker}.making"
        _throw_away(making)
        _throw_away(place)
        making.mkdir()
        write_tree(making, files)
        making.rename(place)
        self._point(worker, base)

        return place

    def freeze(self, worker: str, message: str) -> Frozen:
        """Commit the worktree as it is, without running anything of it.

        The parent is where the worker stands. Freezing an unchanged worktree again with the same
        message finds the first commit, so a freeze may be repeated after a crash.

        Raises:
            WorktreeRefused: a file is too large, not text, or not a regular file.
        """
        files = read_tree(self._place(worker))
        parent = self._standing(worker)

        if parent is not None:
            last = self._objects.read_commit(parent)

            if (last.files, last.message) == (files, message):
                return last

        frozen = self._objects.write_commit(files, parent, message)
        self._keep(frozen.commit)
        self._point(worker, frozen.commit)

        return frozen

    def restore(self, frozen: Frozen) -> None:
        """Make the same commit again from its files; raise if the commit id differs.

        Raises:
            WorktreeRefused: the files, parent and message do not give that commit.
        """
        check_files(frozen.files)
        made = self._objects.write_commit(frozen.files, frozen.parent, frozen.message)

        if (made.commit, made.tree) != (frozen.commit, frozen.tree):
            raise WorktreeRefused(
                f"a commit cannot be made again: its files, parent and message give {made.commit}",
                where=f"commit {frozen.commit}",
                why="the record of this commit was altered or is incomplete",
                hint="run `amid verify` on the run",
            )

        self._keep(made.commit)

    def _place(self, worker: str) -> Path:
        if _WORKER.fullmatch(worker) is None:
            raise WorktreeRefused(
                "a worker's name cannot name a folder",
                where=repr(worker),
                hint="use lower-case letters, digits and hyphens, first a letter or digit",
            )

        return self._work / worker

    def _standing(self, worker: str) -> str | None:
        path = self._repository / "refs" / "amid" / worker

        if not path.exists():
            return None

        return _commit_id(path.read_text(encoding="ascii").strip())

    def _point(self, worker: str, commit: str | None) -> None:
        path = self._repository / "refs" / "amid" / worker

        if commit is None:
            path.unlink(missing_ok=True)
        else:
            _write_ref(path, commit)

    def _keep(self, commit: str) -> None:
        _write_ref(self._repository / "refs" / "commits" / commit, commit)


def _lay_out_bare(repository: Path) -> None:
    """Write what makes a folder a bare repository: no template, so no hooks; HEAD comes last."""
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/amid", "refs/commits"):
        (repository / folder).mkdir(parents=True, exist_ok=True)

    config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
    _write_once(repository / "config", config)
    _write_once(repository / "HEAD", "ref: refs/heads/main\n")


def _write_once(path: Path, text: str) -> None:
    if not path.exists():
        making = path.with_name(path.name + ".lock")
        making.write_text(text, encoding="ascii")
        making.replace(path)


def _write_ref(path: Path, commit: str) -> None:
    """Set a ref by rename. A lock left by a crash is simply overwritten: a run has one writer."""
    lock = path.with_name(path.name + ".lock")
    lock.write_text(commit + "\n", encoding="ascii")
    lock.replace(path)


def _commit_id(text: str) -> str:
    if _COMMIT.fullmatch(text) is None:
        raise WorktreeRefused(
            "this is not a commit id", where=repr(text), hint="give 40 lower-case hex digits"
        )

    return text


def _throw_away(place: Path) -> None:
    """Remove a file, link or folder, also one whose owner took away the right to enter it."""
    if not os.path.lexists(place):
        return

    if not stat.S_ISDIR(os.lstat(place).st_mode):
        place.unlink()
        return

    place.chmod(0o700)

    for folder, names, _ in os.walk(place):
        for name in names:
            path = Path(folder, name)

            if not path.is_symlink():
                path.chmod(0o700)

    shutil.rmtree(place)


__all__ = ["GitWorkspace"]
