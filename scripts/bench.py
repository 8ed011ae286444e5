"""Measures what a run waits for: appends to the ledger, folding it, and `amid verify`.

`python -m scripts.bench`, or `make bench`. The figures hold for this machine and this disk.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.run import Code, RunStarted
from ledger.events.stored import from_record, to_new
from ledger.events.work import NoteLeft
from ledger.reader import read
from ledger.store import Ledger
from projections.run import RunState
from replay.verify import verify

EVENTS = 2000
BATCH = 20


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="amid-bench-") as scratch:
        run = Path(scratch)
        with Ledger.create(run / "ledger.db") as ledger:
            ledger.acquire()
            ledger.append([to_new(_first(run))])
            notes = list(_notes(run))
            single, batched = notes[: EVENTS // 10], notes[EVENTS // 10 :]
            _report("append one by one", len(single), lambda: _append(ledger, single, 1))
            _report("append in batches", len(batched), lambda: _append(ledger, batched, BATCH))

        _report("read and fold", EVENTS, lambda: _fold(run))
        _report("verify", EVENTS, lambda: verify(run))


def _first(run: Path) -> RunStarted:
    task = BlobStore(run / "blobs").put(b"[task]\n")
    code = Code(version="0", commit=None, dirty=False, lock=None)
    return RunStarted(run="00" * 16, task=task, settings=(), code=code)


def _notes(run: Path) -> Iterator[Fact]:
    note = BlobStore(run / "blobs").put(b"a note\n")
    for turn in range(EVENTS):
        yield NoteLeft(worker="w-lane-explorer-r1s1", turn=turn, note=note)


def _append(ledger: Ledger, facts: list[Fact], batch: int) -> None:
    for start in range(0, len(facts), batch):
        ledger.append([to_new(fact) for fact in facts[start : start + batch]])


def _fold(run: Path) -> None:
    state = RunState()
    with read(run / "ledger.db") as reader:
        for record in reader.records():
            state.apply(from_record(record))


def _report(name: str, count: int, act: Callable[[], object]) -> None:
    start = time.perf_counter()
    act()
    seconds = time.perf_counter() - start
    print(f"{name:<20}{count:>6} events  {count / seconds:>9.0f} a second")


if __name__ == "__main__":
    main()
