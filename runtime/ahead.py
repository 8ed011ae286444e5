"""Tells whether a run folder is ahead of its ledger: the ledger was cut, or an older copy put back.

Everything in the folder is made after the event that asks for it is on the disk. So a job, a worker
or a package that no event names was made under a ledger that went further than this one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ledger.events.base import Fact
from projections.run import RunState

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


def signs(lying: Lying, state: RunState) -> Iterator[str]:
    """Yield what lies in a folder and is made only after an event that its ledger does not hold."""
    if jobs := [key for key in lying.jobs if state.jobs.get(key) is None]:
        yield f"{len(jobs)} jobs that no event asked for, such as jobs/{jobs[0][:12]}"

    if workers := [name for name in lying.workers if state.workers.get(name) is None]:
        yield f"{len(workers)} worktrees of unknown workers, such as work/{workers[0]}"

    if lying.package and (state.task.package is None or state.task.finished is None):
        yield "a package, although no event says that the run ended with one"


def cut(last: Fact | None, state: RunState) -> str:
    """Say where a log ends inside a batch; nothing where it may end like this."""
    if last is not None and state.task.split is None:
        return "it ends before split.frozen, inside the first batch of a run"

    if last is not None and last.type in INNER:
        return f"it ends at {last.type}, which is always appended together with what follows it"

    return ""


def _folders(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir()) if place.is_dir() else []


__all__ = ["INNER", "Lying", "cut", "signs"]
