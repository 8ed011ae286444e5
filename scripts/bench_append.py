"""Measures durable appends: callers that each wait for their answer, beside plain SQLite."""

import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ledger import sqlite
from ledger.canonical import encode
from ledger.record import NewEvent
from ledger.store import Ledger

SECONDS = 2.0
ROUNDS = 3
CALLERS = (1, 4, 8)
BODY = encode({"text": "x" * 560})
GOAL_TIMES, GOAL_COMMITS = 5.0, 0.3


def appending(place: Path, callers: int) -> tuple[float, float]:
    """Return events a second, and commits per event, of some callers with one event each."""
    with Ledger.create(place / "ledger.db") as ledger:
        ledger.append([NewEvent("run.started", 1, encode({"run": "0" * 32}))])
        rate = _during(callers, lambda: ledger.append([NewEvent("note.said", 1, BODY)]))
        return rate, ledger.groups / ledger.head.seq


def plain(place: Path) -> float:
    """Return events a second of one caller who inserts and commits one row at a time."""
    connection = sqlite.create_file(place / "plain.db")
    connection.execute("CREATE TABLE events(seq INTEGER PRIMARY KEY, body BLOB) STRICT")

    def insert() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO events(body) VALUES (?)", (BODY,))
        connection.execute("COMMIT")

    rate = _during(1, insert)
    connection.close()
    return rate


def _during(callers: int, act: Callable[[], object]) -> float:
    counts = [0] * callers
    until = time.monotonic() + SECONDS

    def work(caller: int) -> None:
        while time.monotonic() < until:
            act()
            counts[caller] += 1

    threads = [threading.Thread(target=work, args=(n,)) for n in range(callers)]
    for thread in threads:
        thread.start()

    for thread in threads:
        thread.join()

    return sum(counts) / SECONDS


def main() -> None:
    """Measure in turns, so that a slow moment of the disk meets all alike, and print."""
    told: dict[int, list[tuple[float, float]]] = {callers: [] for callers in CALLERS}
    peer: list[float] = []

    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory(prefix="amid-bench-") as scratch:
            peer.append(plain(Path(scratch)))

        for callers in CALLERS:
            with tempfile.TemporaryDirectory(prefix="amid-bench-") as scratch:
                told[callers].append(appending(Path(scratch), callers))

    middle = sorted(peer)[ROUNDS // 2]
    print(f"append  plain SQLite, one row a commit        {middle:>8.0f} a second")

    for callers, found in told.items():
        rate, commits = sorted(found)[ROUNDS // 2]
        print(
            f"append  {callers} callers {rate:>26.0f} a second, {rate / middle:.2f} times,"
            f" {commits:.2f} commits per event"
        )

    rate, commits = sorted(told[CALLERS[-1]])[ROUNDS // 2]
    met = rate >= GOAL_TIMES * middle and commits <= GOAL_COMMITS
    print(f"append  goal: {GOAL_TIMES} times, {GOAL_COMMITS} commits: {'met' if met else 'missed'}")


if __name__ == "__main__":
    main()
