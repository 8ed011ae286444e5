"""Measures opening a run for writing: in two passes, in one, and with the fold that was kept."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ledger.store import Ledger
from runtime import snapshot
from runtime.heap import growing
from runtime.journal import Journal
from runtime.past import Past
from scripts.bench_verify import SIZES, filled

PROGRAM = "0" * 64
GOAL_MS = 100.0


def twice(run: Path) -> None:
    """Check every event, then read and fold them all."""
    with Ledger.open(run / "ledger.db") as ledger:
        Journal(ledger)


def once(run: Path) -> None:
    """Fold every event as it is checked."""
    past = Past()
    with growing():
        ledger = Ledger.open(run / "ledger.db", reading=past)

    with ledger:
        Journal(ledger, past=past)


def kept(run: Path) -> None:
    """Read the kept fold, and the events after it."""
    with growing():
        past = snapshot.get(run, PROGRAM)
        ledger = Ledger.open(run / "ledger.db", reading=past)

    with ledger:
        Journal(ledger, past=past)


def keep(run: Path) -> None:
    """Keep the fold of a run as of its last event."""
    with Ledger.open(run / "ledger.db") as ledger:
        since = ledger.since
        if since is not None:
            snapshot.put(run, Journal(ledger).past, since, PROGRAM)


def ms(act: Callable[[Path], None], run: Path) -> float:
    """Return the processor milliseconds of an act, the better of two."""
    best = float("inf")

    for _ in range(2):
        start = time.process_time()
        act(run)
        best = min(best, (time.process_time() - start) * 1000)

    return best


def main() -> None:
    """Measure and print."""
    for size in SIZES:
        with tempfile.TemporaryDirectory(prefix="amid-bench-") as scratch:
            run = Path(scratch)
            count = filled(run, size)
            keep(run)
            told = [ms(act, run) for act in (twice, once, kept)]
            met = "met" if told[2] <= GOAL_MS else "missed"
            print(
                f"open {count:>9} events: {told[0]:.0f} ms in two passes, {told[1]:.0f} in one,"
                f" {told[2]:.0f} with the kept fold (goal {GOAL_MS:.0f}: {met})"
            )


if __name__ == "__main__":
    main()
