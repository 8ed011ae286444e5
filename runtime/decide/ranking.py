"""Rank accepted attempts by the reviewer's score; the simpler one wins a tie.

A tie is a difference inside one standard error of the better score.
"""

from projections.attempts import Attempt
from projections.run import RunState
from runtime.decide.context import Context


def candidates(state: RunState, context: Context) -> list[Attempt]:
    """Return the accepted attempts that beat every null model, best first.

    Only attempts of closed rounds count, so the answer does not depend on who was ready first.
    """
    closed = {r.round for r in state.stages.rounds if state.round_closed(r.round)}
    fit = [
        a
        for a in state.attempts
        if a.standing == "accept"
        and a.submitted.role != "finalizer"
        and a.submitted.round in closed
        and a.measured is not None
        and a.measured.nulls_beaten
    ]
    return order(state, fit)


def order(state: RunState, attempts: list[Attempt]) -> list[Attempt]:
    """Sort by score, then move a simpler lane up over a better one inside one standard error."""
    left = sorted(attempts, key=lambda a: (-worth(state, a), a.id))
    ranked: list[Attempt] = []

    while left:
        best = left[0]
        least = worth(state, best) - _error(best)
        near = [a for a in left if worth(state, a) >= least]
        chosen = min(near, key=lambda a: (_complexity(state, a), -worth(state, a), a.id))
        ranked.append(chosen)
        left.remove(chosen)

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
