"""Write the brief of a worker's next turn from what is recorded, and nothing else."""

import dataclasses

from ledger.canonical import encode
from ledger.events.codes import Released, reason_code
from ledger.events.work import SessionRequested, Slot
from projections.attempts import Attempt
from projections.lanes import Lane
from projections.run import RunState
from runtime.decide.context import Context
from runtime.decide.ranking import candidates
from runtime.ports import Brief, Past

AVERAGE = "average"
"""Name of the template that averages the predictions of accepted candidates."""


def session(
    state: RunState, context: Context, slot: Slot, turn: int, *, epoch: int = 1
) -> SessionRequested:
    """Ask an agent for one turn."""
    return SessionRequested(
        worker=slot.worker,
        turn=turn,
        agent=slot.agent,
        prompt=encode(dataclasses.asdict(brief(state, context, slot, turn))).decode(),
        epoch=epoch,
    )


def brief(state: RunState, context: Context, slot: Slot, turn: int) -> Brief:
    """Return what a worker is told for a turn."""
    lane = state.lanes.get(slot.lane)
    return Brief(
        worker=slot.worker,
        role=slot.role,
        lane=slot.lane,
        template=_template(slot, lane),
        turn=turn,
        slot=slot.slot,
        units=slot.units or (0 if lane is None else lane.proposed.units),
        past=tuple(_past(a, context) for a in _earlier(state, context, slot, turn)),
        longer=slot.steps > 0,
    )


def _template(slot: Slot, lane: Lane | None) -> str:
    """Return the template to write; a finalizer of any lane averages."""
    if slot.role == "finalizer" or lane is None:
        return AVERAGE

    return lane.proposed.template


def _earlier(state: RunState, context: Context, slot: Slot, turn: int) -> tuple[Attempt, ...]:
    own = state.attempts.of_worker(slot.worker)

    if slot.role == "finalizer":
        most = 1 if turn > 1 else context.policy.members_most
        return tuple(_members(state, context)[:most])

    base = None if slot.base is None else state.attempts.get(slot.base)
    return own if base is None else (base, *own)


def _members(state: RunState, context: Context) -> list[Attempt]:
    """Return the candidates, the best of each family first: what differs averages best."""
    ranked = candidates(state, context)
    first: dict[str, Attempt] = {}
    for attempt in ranked:
        lane = state.lanes.get(attempt.submitted.lane)
        first.setdefault("" if lane is None else lane.proposed.family, attempt)

    leading = list(first.values())
    return [*leading, *(a for a in ranked if a not in leading)]


def _past(attempt: Attempt, context: Context) -> Past:
    measured = attempt.measured
    score = None if measured is None or not measured.scores else measured.scores[0].value
    inner = None if measured is None or measured.inner is None else measured.inner.value
    released = attempt.feedback is not None
    codes = _codes(attempt)
    return Past(
        attempt=attempt.id,
        verdict=attempt.standing,
        codes=codes,
        advice=context.domain.advice(codes),
        score=context.domain.round_score(score) if released and score is not None else None,
        inner=None if inner is None else context.domain.round_score(inner),
        description=attempt.submitted.description,
    )


def _codes(attempt: Attempt) -> tuple[Released, ...]:
    """Return what became of an attempt as codes; reasons and findings stay where they are."""
    if attempt.executed is not None and attempt.executed.outcome == "failed":
        return (attempt.executed.code or "OTHER",)

    recorded = () if attempt.verdict is None else attempt.verdict.codes
    return tuple(dict.fromkeys(reason_code(word) for word in recorded))
