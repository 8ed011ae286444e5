"""Every way in which the domain says no, as one tree with exit codes.

    AmidError (5: the work failed)
    ├── WrongUse (2)             ContractWrong, TableWrong, SplitWrong, FolderExists
    ├── Missing (3)              TaskMissing, DataMissing, NotSupported, VaultMissing,
    │                             PackageMissing
    ├── AnswerIsNo (1)           DataProblems, GroupLeak, TooFewGroups, DataChanged, VaultExposed
    └── Failed (5)               FileTrouble; with 3: NoSpace, NoPermission; with 2: PathWrong

A message says what is wrong, where, why it matters and what to do, in under ten lines (a list of
data problems shows its first twenty).
"""

import errno
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SHOWN = 20
"""How many problems of one kind an error lists before it only counts."""


class AmidError(Exception):
    """Something a person can act on. Leaves of the tree are raised, never this class."""

    exit_code = 5
    shown = SHOWN
    """How many things of one kind the error's own text lists."""

    def __init__(
        self, what: str, *, where: str, why: str, do: str, listed: Sequence[str] = ()
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.why = why
        self.do = do
        self.listed = tuple(listed)
        """Things of one kind that are wrong: all of them."""

    def __str__(self) -> str:
        tail = (f"  where: {self.where}", f"  why:   {self.why}", f"  do:    {self.do}")
        return "\n".join((self.what, *shown(self.listed, self.shown), *tail))


def shown(listed: Sequence[str], most: int = SHOWN) -> list[str]:
    """Return lines for the first of some things, and how many more there are."""
    lines = [f"  - {one}" for one in listed[:most]]
    return [*lines, f"  … and {len(listed) - most} more"] if len(listed) > most else lines


class WrongUse(AmidError):
    """What was asked for contradicts itself or the conventions."""

    exit_code = 2


class ContractWrong(WrongUse):
    """`task.toml` says something it may not."""

    shown = 4


class TableWrong(WrongUse):
    """The case table cannot mean what it says."""


class SplitWrong(WrongUse):
    """The validation scheme asked for cannot be applied to these cases."""


class FolderExists(WrongUse):
    """The folder to be made is already there."""


class Missing(AmidError):
    """Something needed is not here."""

    exit_code = 3


class TaskMissing(Missing):
    """There is no task at this place, or a file of it is absent."""


class DataMissing(Missing):
    """The folder with the images is not there."""


class NotSupported(Missing):
    """A valid task of a kind that this version cannot run yet."""


class VaultMissing(Missing):
    """The vault or an item of it is absent."""


class PackageMissing(Missing):
    """A Python package that only one command needs is not installed."""


class AnswerIsNo(AmidError):
    """The question was understood, and the answer is no."""

    exit_code = 1


class GroupLeak(AnswerIsNo):
    """One patient stands on two sides of a split."""


class TooFewGroups(AnswerIsNo):
    """With so few groups no score would be honest."""


class DataChanged(AnswerIsNo):
    """A file is no longer what the inventory says it was."""


class VaultExposed(AnswerIsNo):
    """Others than the owner could read the vault."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one case of the data."""

    code: str
    """Short name of the kind, such as `label-geometry`."""
    where: str
    says: str
    do: str
    missing: bool = False
    """Whether it is an absence rather than a defect."""


class DataProblems(AnswerIsNo):
    """Files of the data are missing, unreadable or contradict each other: all of them at once."""

    def __init__(self, problems: Sequence[Problem], *, where: str) -> None:
        count = len(problems)
        noun = "problem" if count == 1 else "problems"
        absent = all(problem.missing for problem in problems)
        why = "a model trained or judged on such a case would be wrong without anyone noticing"
        do = "repair each file, or take the case out of the table, and run again"
        if absent:
            why = "every case of the table takes part, so each of its files must be there"
            do = "give the folder that the paths start from with --data DIR, or correct the table"

        super().__init__(f"{count} {noun} in the data", where=where, why=why, do=do)
        self.problems = tuple(problems)
        if absent:
            self.exit_code = Missing.exit_code

    def __str__(self) -> str:
        lines = [f"{p.where}: {p.says}; {p.do}" for p in self.problems]
        head = (self.what, f"  where: {self.where}", *shown(lines))
        return "\n".join((*head, f"  why:   {self.why}", f"  do:    {self.do}"))


class Failed(AmidError):
    """The machine would not do it."""


class NoSpace(Failed):
    """The disk is full."""

    exit_code = 3


class NoPermission(Failed):
    """The file system refuses this user."""

    exit_code = 3


class PathWrong(Failed):
    """A path leads nowhere, or to something that is not a plain file."""

    exit_code = 2


class FileTrouble(Failed):
    """The file system reported another failure."""


_PATH = frozenset(
    (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL,
     errno.ENXIO)
)  # fmt: skip
"""What the system says of a wrong path; `amid.tasks.files` says EINVAL of a pipe or a device."""


def from_os_error(error: OSError, *, doing: str, place: Path) -> Failed:
    """Return the leaf for a failed file operation, naming what was being done and where."""
    where = str(error.filename or place)

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoSpace(
            f"no space left while {doing}",
            where=where,
            why="a run folder that is cut short could not be verified",
            do="free some space or choose another disk; what was half made has been removed",
        )

    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return NoPermission(
            f"not permitted while {doing}",
            where=where,
            why="the run must write its own folder and read every file of the case table",
            do="choose a folder you may write (-o), or correct the permissions of this one",
        )

    if error.errno in _PATH:
        return PathWrong(
            f"{(error.strerror or str(error)).lower()} while {doing}",
            where=where,
            why="what a path names is read or written as it stands, and never guessed",
            do="correct the path; a file must be a regular file",
        )

    return FileTrouble(
        f"{error.strerror or error} while {doing}",
        where=where,
        why="nothing can be recorded or checked about a file that cannot be read or written",
        do="look at the disk or the path, and run again",
    )


__all__ = [
    "SHOWN",
    "AmidError",
    "AnswerIsNo",
    "ContractWrong",
    "DataChanged",
    "DataMissing",
    "DataProblems",
    "Failed",
    "FileTrouble",
    "FolderExists",
    "GroupLeak",
    "Missing",
    "NoPermission",
    "NoSpace",
    "NotSupported",
    "PackageMissing",
    "PathWrong",
    "Problem",
    "SplitWrong",
    "TableWrong",
    "TaskMissing",
    "TooFewGroups",
    "VaultExposed",
    "VaultMissing",
    "WrongUse",
    "from_os_error",
    "shown",
]
