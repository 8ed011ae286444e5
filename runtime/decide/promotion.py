"""The promotion gate: which lanes go on to the second stage, and why the others do not."""

from ledger.events.base import Fact
from ledger.events.work import LanePromoted, LanePromotionRefused
from projections.attempts import Attempt
from projections.lanes import Lane
from projections.run import RunState
from runtime.decide.budget import enter
from runtime.decide.context import Context
from runtime.decide.growing import Longer, longer
from runtime.decide.ranking import candidates, order


def decide(state: RunState, context: Context) -> tuple[Fact, ...]:
    """Promote the lanes of the best candidates; give every other executable lane its reason."""
    best: dict[str, Attempt] = {}

    for attempt in candidates(state, context):
        best.setdefault(attempt.submitted.lane, attempt)

    chosen = list(best)[: context.policy.promote_most]
    growing = longer(state, context, enter(state, context, "exploit").units)
    out: list[Fact] = []

    for lane in state.lanes.executable():
        if growing is not None and lane.name == growing.lane.name:
            out.append(_growing(best[lane.name], growing, chosen))
        elif lane.name in chosen:
            out.append(_promoted(best[lane.name], chosen.index(lane.name) + 1))
        else:
            out.append(_refused(state, lane, best.get(lane.name), context))

    return tuple(out)


def _promoted(attempt: Attempt, place: int) -> LanePromoted:
    return LanePromoted(
        lane=attempt.submitted.lane,
        attempt=attempt.id,
        reason=f"place {place} with {_said(attempt)}; beats every null model",
    )


def _growing(attempt: Attempt, growing: Longer, chosen: list[str]) -> LanePromoted:
    place = f"place {chosen.index(growing.lane.name) + 1} " if growing.lane.name in chosen else ""
    return LanePromoted(
        lane=attempt.submitted.lane,
        attempt=attempt.id,
        reason=f"{place}with {_said(attempt)}; {growing.says}",
    )


def _refused(
    state: RunState, lane: Lane, best: Attempt | None, context: Context
) -> LanePromotionRefused:
    return LanePromotionRefused(lane=lane.name, reason=_why(state, lane, best, context))


def _why(state: RunState, lane: Lane, best: Attempt | None, context: Context) -> str:
    if best is not None:
        return f"{_said(best)}, behind the {context.policy.promote_most} lanes that go on"

    accepted = [a for a in state.attempts.of_lane(lane.name) if a.standing == "accept"]

    if accepted:
        return f"{_said(order(state, accepted)[0])}, does not beat every null model"

    reason = "never given to a worker" if lane.covered is None else lane.covered.reason
    return f"no accepted attempt: {reason}"


def _said(attempt: Attempt) -> str:
    measured = attempt.measured
    score = None if measured is None or not measured.scores else measured.scores[0]

    if score is None or score.value is None:
        return f"{attempt.id} without a score"

    value = f"{float(score.value):.4f}"

    if score.low is None or score.high is None:
        return f"{attempt.id} at {score.metric} {value}"

    interval = f"({float(score.low):.4f} to {float(score.high):.4f})"
    return f"{attempt.id} at {score.metric} {value} {interval}"
