"""Decides again what stands at the end of a log, to tell a batch cut short from a whole one.

Decisions are appended batch by batch, each whole. So the last ones must be what the deciders say
today on top of what came before, or the program is another one by now.
"""

from collections.abc import Sequence

from ledger.events.base import Fact
from projections.run import RunState
from runtime.decide import Context, decide


def fold(state: RunState, tail: Sequence[Fact], context: Context) -> str:
    """Fold the decisions at the end of a log into a state; say how a batch is short, or nothing.

    Args:
        state: What came before them; it is changed.
        tail: The decisions after the last outcome, in order.
        context: What to decide with.
    """
    left = list(tail)
    says = ""

    while left and not says:
        _, batch = decide(state, context)
        size = min(len(batch), len(left))

        if not batch or tuple(left[:size]) != batch[:size]:
            break  # decided by another program: whether a batch is whole cannot be told

        if size < len(batch):
            says = f"it ends at {left[-1].type}, {len(batch) - size} events before its batch does"

        for fact in left[:size]:
            state.apply(fact)

        left = left[size:]

    for fact in left:
        state.apply(fact)

    return says


__all__ = ["fold"]
