"""Rank accepted attempts by the reviewer's score; the simpler one wins a tie.

A tie is a difference inside one standard error of the better score.
"""

from bisect import bisect_right

from projections.attempts import Attempt
from projections.run import RunState
from runtime.decide.context import Context
from runtime.decide.least import Least


def candidates(state: RunState, context: Context) -> list[Attempt]:
    """Return the accepted attempts that beat every null model, best first.

    Only attempts of closed rounds count, so the answer does not depend on who was ready first.
    """
    fit = [
        a
        for a in state.attempts.accepted()
        if a.submitted.role != "finalizer"
        and state.round_closed(a.submitted.round)
        and a.measured is not None
        and a.measured.nulls_beaten
    ]
    return order(state, fit)


def order(state: RunState, attempts: list[Attempt]) -> list[Attempt]:
    """Sort by score, then move a simpler lane up over a better one inside one standard error."""
    left = sorted(attempts, key=lambda a: (-worth(state, a), a.id))
    lost = [-worth(state, a) for a in left]
    simplest = Least([(_complexity(state, a), lost[i], a.id) for i, a in enumerate(left)])
    ranked: list[Attempt] = []
    best = 0

    while len(ranked) < len(left):
        while not simplest.holds(best):
            best += 1

        near = bisect_right(lost, lost[best] + _error(left[best]))
        chosen = simplest.before(max(near, best + 1))
        simplest.remove(chosen)
        ranked.append(left[chosen])

    return ranked


def worth(state: RunState, attempt: Attempt) -> float:
    """Return the primary validation score, turned so that larger is better."""
    measured = attempt.measured

    if measured is None or not measured.scores or measured.scores[0].value is None:
        return float("-inf")

    value = float(measured.scores[0].value)
    task = state.task.task
    return -value if task is not None and task.direction == "minimize" else value


def _error(attempt: Attempt) -> float:
    text = None if attempt.measured is None else attempt.measured.standard_error
    return 0.0 if text is None else float(text)


def _complexity(state: RunState, attempt: Attempt) -> int:
    lane = state.lanes.get(attempt.submitted.lane)
    return 0 if lane is None else lane.proposed.complexity
