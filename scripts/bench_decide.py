"""Measures deciding and folding per outcome of a simulated run, with as many attempts as asked."""

import time
from random import Random

from tests.runtime.pure import Pure
from tests.runtime.world import World, offer

SIZES = (100, 1_000, 10_000)
"""Lanes, each with one attempt."""
MOST_MS, MOST_GROWTH = 20.0, 1.5


def per_outcome(lanes: int) -> tuple[int, float]:
    """Play a run; return its outcomes and the milliseconds of deciding and folding for each."""
    world = World(offers=tuple(offer(f"l{n:05}", 900, 1 + n % 3) for n in range(lanes)))
    played = Pure(world, units=100 * lanes, looks=0)
    start = time.process_time()
    count = sum(1 for _ in played.outcomes(Random(0)))  # noqa: S311 - a played run
    return count, (time.process_time() - start) * 1000 / count


def main() -> None:
    """Measure and print."""
    told = {lanes: per_outcome(lanes) for lanes in SIZES}

    for lanes, (count, each) in told.items():
        print(f"decide {lanes:>9} attempts {count:>9} outcomes {each:>9.2f} ms each")

    growth = told[SIZES[2]][1] / told[SIZES[1]][1]
    met = "met" if told[SIZES[2]][1] < MOST_MS and growth < MOST_GROWTH else "missed"
    print(f"decide growth from {SIZES[1]} on: {growth:.2f} (goal: {MOST_MS} ms, 1.5): {met}")


if __name__ == "__main__":
    main()
