"""A run folder as commands that look see it: is it one, and what is in its ledger."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from runtime.errors import RunMissing

_LAST_US = 253_402_214_400_000_000
"""The last day of the year 9999."""


@dataclass(frozen=True, slots=True)
class Row:
    """One stored event, as much of it as commands show."""

    seq: int
    at_us: int
    type: str
    v: int
    body: bytes
    hash: str
    body_hash: str


def moment(at_us: int) -> datetime:
    """Return a stored time. Total: a time beyond the calendar becomes its first or last day."""
    return datetime.fromtimestamp(min(max(at_us, 0), _LAST_US) / 1_000_000, tz=UTC)


def check_run(run: Path) -> Path:
    """Return the folder when it looks like a run.

    Raises:
        RunMissing: it does not exist, or holds no ledger.
    """
    if not run.is_dir():
        raise RunMissing(
            "there is no such run",
            where=str(run),
            hint="give the folder that `amid run … -o RUN` made",
        )

    if not (run / "ledger.db").is_file():
        raise RunMissing(
            "this folder is not a run: it has no ledger.db",
            where=str(run),
            why="everything that is known about a run stands in its ledger",
            hint="give the folder that `amid run … -o RUN` made",
        )

    return run


def check_apart(run: Path, place: Path, *, but: str = "") -> None:
    """Refuse to write into a run what is no part of it.

    Raises:
        AmidUsageError: the place lies in the folder of the run and is not the file `but`.
    """
    from amid.cli.errors import AmidUsageError

    folder, target = run.resolve(), place.resolve()
    if target.is_relative_to(folder) and not (but and target == folder / but):
        raise AmidUsageError(
            "this place lies in the folder of the run",
            where=str(place),
            why="what looks back on a run changes nothing in it",
            hint="name another place with -o",
        )


def rows(run: Path, *, after: int = 0) -> Iterator[Row]:
    """Yield the events of a run in order; changes nothing in the folder."""
    check_run(run)
    from ledger.reader import read

    with read(run / "ledger.db") as ledger:
        for record in ledger.records(after=after):
            yield Row(
                seq=record.seq,
                at_us=record.at_us,
                type=record.type,
                v=record.v,
                body=record.body,
                hash=record.hash.hex(),
                body_hash=record.body_hash.hex(),
            )
