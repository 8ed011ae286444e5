"""Tells whether a run folder is ahead of its ledger: the ledger was cut, or an older copy put back.

Everything in the folder is made after the event that asks for it is on the disk. So a job, a worker
or a package that no event names was made under a ledger that went further than this one.
"""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_KEY = re.compile(r"[0-9a-f]{64}")

INNER = frozenset(
    {
        "access.recorded",
        "commit.frozen",
        "note.left",
        "null.scored",
        "package.built",
        "package.refused",
        "review.check_found",
        "review.measured",
        "session.turn_finished",
        "test.scored",
    }
)
"""Stored names of events that are always appended together with one that follows them."""


@dataclass(frozen=True, slots=True)
class Lying:
    """What lies in a run folder beside ledger and blobs. Look before the ledger is read."""

    jobs: tuple[str, ...]
    workers: tuple[str, ...]
    package: bool

    @classmethod
    def look(cls, run: Path) -> Self:
        """List a folder, without following links out of it."""
        return cls(
            jobs=tuple(name for name in _folders(run / "jobs") if _KEY.fullmatch(name)),
            workers=tuple(name for name in _folders(run / "work") if not name.startswith(".")),
            package=(run / "package").exists() or (run / "package.zip").exists(),
        )


def signs(
    lying: Lying, *, jobs: Container[str], workers: Container[str], packaged: bool
) -> Iterator[str]:
    """Yield what lies in a folder and is made only after an event that its ledger does not hold.

    Args:
        lying: What lies there.
        jobs: Keys that events ask for.
        workers: Workers that events name.
        packaged: Whether events say that the run ended with a package.
    """
    if strange := [key for key in lying.jobs if key not in jobs]:
        yield f"{len(strange)} jobs that no event asked for, such as jobs/{strange[0][:12]}"

    if unknown := [name for name in lying.workers if name not in workers]:
        yield f"{len(unknown)} worktrees of unknown workers, such as work/{unknown[0]}"

    if lying.package and not packaged:
        yield "a package, although no event says that the run ended with one"


def stray(blobs: int, *, under_way: int) -> str:
    """Say that blobs which no event names cannot be left over from a crash; nothing if they can.

    Where nothing was under way a crash leaves one at most: the list a new process stored of itself.
    """
    if blobs > 1 and not under_way:
        return f"{blobs} blobs that no event names, although nothing was under way"

    return ""


def cut(last: str, *, begun: bool) -> str:
    """Say where a log ends inside a batch; nothing where it may end like this.

    Args:
        last: Stored name of the last event; empty when there is none.
        begun: Whether the split is frozen.
    """
    if last and not begun:
        return "it ends before split.frozen, inside the first batch of a run"

    if last in INNER:
        return f"it ends at {last}, which is always appended together with what follows it"

    return ""


def _folders(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir()) if place.is_dir() else []


__all__ = ["INNER", "Lying", "cut", "signs", "stray"]
