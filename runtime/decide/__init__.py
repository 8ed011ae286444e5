"""Decide: pure functions from the state of a run to the next events, in a fixed order."""

from collections.abc import Mapping

from ledger.events.base import Fact
from projections.run import RunState
from runtime.decide import finish, lifecycle, planning, recovery, review, rounds
from runtime.decide.context import Context, Decider
from runtime.decide.recovery import stuck

DECIDERS: Mapping[str, Decider] = {
    "recovery": recovery.decide,
    "planning": planning.decide,
    "lifecycle": lifecycle.decide,
    "review": review.decide,
    "rounds": rounds.decide,
    "finish": finish.decide,
}
"""Every decider by name; the first that has something to say speaks."""


DECISIONS = frozenset(
    {
        "lane.proposed",
        "lane.ranked",
        "lane.downranked",
        "lane.covered",
        "lane.promoted",
        "lane.promotion_refused",
        "stage.entered",
        "stage.round_opened",
        "stage.ended",
        "worker.spawned",
        "worker.state_entered",
        "worker.retired",
        "session.requested",
        "budget.spent",
        "job.given_up",
        "job.requested",
        "attempt.executed",
        "review.requested",
        "review.verdict_given",
        "review.feedback_released",
        "run.finished",
    }
)
"""Stored names of events that only deciders append."""


def decide(state: RunState, context: Context) -> tuple[str, tuple[Fact, ...]]:
    """Return the name of the deciding rule and its batch of events; empty when all is quiet."""
    for name, rule in DECIDERS.items():
        events = rule(state, context)

        if events:
            return name, events

    return "", ()


__all__ = ["DECIDERS", "DECISIONS", "Context", "Decider", "decide", "stuck"]
