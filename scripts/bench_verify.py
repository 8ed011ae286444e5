"""Measures `amid verify` beside a bare scan of the same file that only hashes."""

import os
import tempfile
import time
from pathlib import Path
from random import Random

from ledger import schema, sqlite
from ledger.blobs import BlobStore
from ledger.events.stored import to_new
from ledger.hashing import body_hash, event_hash
from ledger.reader import read
from ledger.store import Ledger
from replay.verify import verify
from tests.runtime.pure import Pure
from tests.runtime.world import World, offer

SIZES = tuple(map(int, os.environ.get("AMID_BENCH_EVENTS", "10000 30000 100000").split()))
"""Events, about: a played run has some 29 for each of its attempts."""
EVENTS_EACH = 29
BATCH = 200
GOAL = 0.4
_ALL = f"SELECT {schema.COLUMNS} FROM events ORDER BY seq"  # noqa: S608


def filled(run: Path, events: int) -> int:
    """Write a played run of about that many events; return how many they are."""
    lanes = max(3, events // EVENTS_EACH)
    world = World(offers=tuple(offer(f"l{n:05}", 900, 1 + n % 3) for n in range(lanes)))
    played = Pure(world, units=100 * lanes, looks=0).play(Random(0))  # noqa: S311 - a played run
    blobs = BlobStore(run / "blobs")

    for content in played.blobs.held.values():
        blobs.put(content)

    with Ledger.create(run / "ledger.db") as ledger:
        for start in range(0, len(played.log), BATCH):
            ledger.append([to_new(fact) for fact in played.log[start : start + BATCH]])

    return len(played.log)


def hashing(run: Path) -> None:
    """Read every row and compute both of its hashes: what no check can do without."""
    prev = bytes(32)

    with read(run / "ledger.db") as reader:
        first = next(reader.records())
        run_id = bytes.fromhex(first.body.partition(b'"run":"')[2][:32].decode())

        for row in reader.connection.execute(_ALL):
            seq, term, at_us, cmd, kind, v, before, hashed, prev_hash, body = row
            if body_hash(body) != hashed or before != prev:
                raise ValueError(seq)

            prev = event_hash(
                run=run_id,
                seq=seq,
                term=term,
                at_us=at_us,
                prev=before,
                type=kind,
                v=v,
                cmd=cmd,
                body_hash=hashed,
            )
            if prev != prev_hash:
                raise ValueError(seq)


def pages(run: Path) -> None:
    """Have SQLite look at its own pages, as verify does too."""
    connection = sqlite.open_immutable(run / "ledger.db")
    connection.execute("PRAGMA integrity_check(20)").fetchall()
    connection.close()


def timed(act: object, *words: Path) -> float:
    """Return the processor seconds of an act, the better of two."""
    best = float("inf")

    for _ in range(2):
        start = time.process_time()
        act(*words)  # type: ignore[operator]
        best = min(best, time.process_time() - start)

    return best


def main() -> None:
    """Measure and print."""
    for size in SIZES:
        with tempfile.TemporaryDirectory(prefix="amid-bench-") as scratch:
            run = Path(scratch)
            count = filled(run, size)
            told = verify(run)
            bare, sqlites, whole = (timed(act, run) for act in (hashing, pages, verify))
            rest = whole - sqlites
            print(
                f"verify {count:>9} events {count / whole:>9.0f} a second; bare hashing scan"
                f" {count / bare:.0f}; {bare / whole:.2f} of it, {bare / rest:.2f} without SQLite's"
                f" own check (goal {GOAL}: {'met' if bare / rest >= GOAL else 'missed'});"
                f" {'whole' if told.ok else told.problems[0]}"
            )


if __name__ == "__main__":
    main()
