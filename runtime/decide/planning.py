"""Plan: null models first, then probes, then lanes from contract and profile, then stage 1."""

from ledger.events.base import Fact
from ledger.events.work import LaneDownranked, LaneProposed, LaneRanked
from projections.run import RunState
from runtime.decide import requests
from runtime.decide.budget import enter
from runtime.decide.context import Context
from runtime.ports import Means, Probe


def decide(state: RunState, context: Context) -> tuple[Fact, ...]:
    """Ask for nulls and probes, and once they are there propose and rank the lanes."""
    if state.task.split is None or state.task.task is None or state.stages.entered:
        return ()

    asked = state.jobs.one("run", "null", requests.FOLDS)

    if asked is None:
        return (requests.null(state, context),)

    if asked.status != "finished" or not state.task.nulls or state.task.profile is None:
        return ()

    contract = context.read(state.task.task.contract)
    profile = context.read(state.task.profile.profile)
    templates = context.domain.probes(contract, profile)
    jobs = {t: state.jobs.one(t, "probe", requests.ALL) for t in templates}
    new = tuple(
        requests.probe(state, context, t)
        for t, job in jobs.items()
        if job is None and t not in state.task.probes
    )

    if new:
        return new

    if any(job is not None and job.status in ("open", "lost") for job in jobs.values()):
        return ()

    return (*_lanes(state, context, contract, profile), enter(state, context, "explore"))


def _lanes(state: RunState, context: Context, contract: bytes, profile: bytes) -> tuple[Fact, ...]:
    offered = context.domain.offers(contract, profile, _means(state))
    offers = sorted(offered, key=lambda o: (-o.priority, o.lane))
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


def _means(state: RunState) -> Means:
    measured = state.task.probes.values()
    return Means(
        probes={p.template: Probe(p.ms_per_step, p.fixed_ms) for p in measured},
        units=0 if state.task.task is None else state.task.task.units,
        cores=requests.cores(state),
    )
