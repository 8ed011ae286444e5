"""Plan: null models first, then lanes from contract and profile, then stage 1."""

from ledger.events.base import Fact
from ledger.events.work import (
    LaneDownranked,
    LaneProposed,
    LaneRanked,
)
from projections.run import RunState
from runtime.decide import requests
from runtime.decide.budget import enter
from runtime.decide.context import Context


def decide(state: RunState, context: Context) -> tuple[Fact, ...]:
    """Ask for the nulls, and once they are scored propose and rank the lanes."""
    if state.task.split is None or state.task.task is None or state.stages.entered:
        return ()

    asked = state.jobs.one("run", "null", requests.FOLDS)

    if asked is None:
        return (requests.null(state, context),)

    if asked.status != "finished" or not state.task.nulls or state.task.profile is None:
        return ()

    return (*_lanes(state, context), enter(state, context, "explore"))


def _lanes(state: RunState, context: Context) -> tuple[Fact, ...]:
    if state.task.task is None or state.task.profile is None:
        return ()

    contract = context.read(state.task.task.contract)
    profile = context.read(state.task.profile.profile)
    offers = sorted(context.domain.offers(contract, profile), key=lambda o: (-o.priority, o.lane))
    out: list[Fact] = []

    for offer in offers:
        values = {name: getattr(offer, name) for name in type(offer).__dataclass_fields__}
        out.append(LaneProposed(**values, by="planner"))

    for rank, offer in enumerate(offers, start=1):
        out.append(LaneRanked(lane=offer.lane, rank=rank, reasons=offer.priority_because))

        if offer.kind != "executable":
            because = "; ".join(offer.priority_because)
            out.append(LaneDownranked(lane=offer.lane, reason=f"{offer.kind}: {because}"))

    return tuple(out)
