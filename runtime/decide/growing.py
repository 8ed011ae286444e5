"""Which lane is trained longer in the second stage: one whose training was cut short by its share.

The first stage gives every network a part of the budget, in which simpler methods are done and it
is not. What a lane is worth is not its first score alone but what the units that are left can make
of it. So the best lane that trains in steps goes on with as many steps as they carry, as long as
its interval does not already lie below the leader's score.
"""

from dataclasses import dataclass

from projections.attempts import Attempt
from projections.lanes import Lane
from projections.run import RunState
from runtime.decide.context import Context
from runtime.decide.ranking import candidates, worth

SHARE = 75
"""Percent of the units left that go into the longer training; the rest varies what leads."""
WORTHWHILE = 150
"""Percent of its first price that a longer training must have at least."""
MOST = 12
"""Times its first steps that a lane is trained at most."""


@dataclass(frozen=True, slots=True)
class Longer:
    """A training to be made longer."""

    attempt: Attempt
    lane: Lane
    steps: int
    units: int

    @property
    def says(self) -> str:
        """Say why the lane goes on."""
        return (
            f"may still improve: {self.lane.proposed.steps} steps so far, the units that are left "
            f"carry {self.steps}"
        )


def longer(state: RunState, context: Context, units: int) -> Longer | None:
    """Return what to train longer with the units that are left, if anything.

    Steps grow in proportion to the price, which is less than they could: what an attempt pays
    besides its steps is paid once.
    """
    ranked = candidates(state, context)
    able = [a for a in ranked if _steps(state, a) and _reaches(state, a, ranked[0])]
    if not able:
        return None

    best = max(able, key=lambda a: (worth(state, a), a.id))
    lane = state.lanes.get(best.submitted.lane)
    if lane is None:
        return None

    first = lane.price
    given = min(units * SHARE // 100, first * MOST)
    if 100 * given < first * WORTHWHILE:
        return None

    return Longer(best, lane, lane.proposed.steps * given // first, given)


def _steps(state: RunState, attempt: Attempt) -> int:
    lane = state.lanes.get(attempt.submitted.lane)
    return 0 if lane is None else lane.proposed.steps


def _reaches(state: RunState, attempt: Attempt, leader: Attempt) -> bool:
    """Say whether an attempt's interval holds the leader's score, or something better."""
    scores = () if attempt.measured is None else attempt.measured.scores
    if not scores:
        return False

    task = state.task.task
    minimize = task is not None and task.direction == "minimize"
    end = scores[0].low if minimize else scores[0].high
    if end is None:
        return attempt.id == leader.id

    best = -float(end) if minimize else float(end)
    return best >= worth(state, leader)


__all__ = ["Longer", "longer"]
