"""Small ledgers to test with, and a clock that only moves when it is read."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ledger.canonical import encode
from ledger.record import NewEvent
from ledger.store import Ledger

RUN = "0123456789abcdef0123456789abcdef"


def ticking(start: int = 1_700_000_000_000_000) -> Callable[[], int]:
    """Return a clock that is a millisecond later at each look."""
    now = start

    def clock() -> int:
        nonlocal now
        now += 1000
        return now

    return clock


def started(run: str = RUN) -> NewEvent:
    """Return a first event."""
    return NewEvent("run.started", 1, encode({"run": run}))


def said(text: str, cmd: str | None = None) -> NewEvent:
    """Return an event that says something."""
    return NewEvent("note.said", 1, encode({"text": text}), cmd)


@contextlib.contextmanager
def holding(folder: Path, events: Sequence[NewEvent] = ()) -> Iterator[Ledger]:
    """Make a ledger in `folder` with a first event and these, and hold it."""
    folder.mkdir(exist_ok=True)
    with Ledger.create(folder / "ledger.db", clock=ticking()) as ledger:
        ledger.append([started(), *events])
        yield ledger


def filled(folder: Path, *texts: str) -> Path:
    """Make a closed ledger in `folder` and return its path."""
    with holding(folder, [said(text) for text in texts]) as ledger:
        return ledger.path
