"""Open rounds, cover lanes, and pass from stage to stage."""

from ledger.events.base import Fact
from ledger.events.work import (
    LaneCovered,
    Role,
    RoundOpened,
    Slot,
    Stage,
    StageEnded,
)
from projections.lanes import Lane
from projections.run import RunState
from runtime.decide import promotion
from runtime.decide.budget import enter
from runtime.decide.context import Context
from runtime.decide.ranking import candidates

Wanted = tuple[Role, str, str | None, int]
"""Role, lane, attempt to start from, and turns at most."""


def decide(state: RunState, context: Context) -> tuple[Fact, ...]:
    """Open the next round of the stage, or end the stage and enter the next."""
    stage = state.stages.now

    if stage is None or state.open_rounds():
        return ()

    match stage:
        case "explore":
            return _explore(state, context)
        case "exploit":
            return _exploit(state, context)
        case "finalize":
            return _finalize(state, context)


def _explore(state: RunState, context: Context) -> tuple[Fact, ...]:
    news = covered(state, context)

    if news:
        return news

    waiting = state.lanes.waiting(context.policy.workers)

    if dear := _dear(state):
        return tuple(LaneCovered(lane=x.name, accepted=0, reason=_too_dear(state, x)) for x in dear)

    turns = context.policy.explorer_turns
    slots = _slots(state, context, "explore", [("explorer", x.name, None, turns) for x in waiting])

    if slots:
        return (_open(state, "explore", slots),)

    ended = StageEnded(stage="explore", because="every executable lane was tried")
    promoted = promotion.decide(state, context)
    return (ended, *promoted, enter(state, context, "exploit"))


def _exploit(state: RunState, context: Context) -> tuple[Fact, ...]:
    done = any(r.stage == "exploit" for r in state.stages.rounds)
    slots = [] if done else _slots(state, context, "exploit", _wanted(state, context))

    if slots:
        return (_open(state, "exploit", slots),)

    because = "its round is closed" if done else "nobody to improve, challenge or repair"
    return (
        StageEnded(stage="exploit", because=because),
        enter(state, context, "finalize"),
    )


def _slots(state: RunState, context: Context, stage: Stage, wanted: list[Wanted]) -> list[Slot]:
    """Give the first wanted workers a slot each, with the turns that the budget left carries."""
    chosen = wanted[: context.policy.workers]
    turns = _turns(state, stage, chosen)
    carried = [
        (role, lane, base, n) for (role, lane, base, _), n in zip(chosen, turns, strict=True) if n
    ]
    return [_slot(state, context, one, place=i) for i, one in enumerate(carried, start=1)]


def _turns(state: RunState, stage: Stage, wanted: list[Wanted]) -> list[int]:
    """Deal turns out one at a time in order, as long as units and attempts last."""
    units = state.stages.left(stage)
    attempts = state.stages.attempts_left(stage)
    turns = [0] * len(wanted)

    for again in range(max((most for *_, most in wanted), default=0)):
        for i, (_, lane, _, most) in enumerate(wanted):
            price = _price(state, lane)

            if turns[i] == again < most and price <= units and attempts != 0:
                turns[i] += 1
                units -= price
                attempts = None if attempts is None else attempts - 1

    return turns


def _price(state: RunState, lane: str) -> int:
    known = state.lanes.get(lane)
    return 1 if known is None else known.price


def _wanted(state: RunState, context: Context) -> list[Wanted]:
    """Name who may work in stage 2: optimizer, challenger of another family, repair."""
    policy = context.policy
    best = candidates(state, context)
    wanted: list[Wanted] = []

    if best:
        leader = best[0].submitted
        wanted.append(("optimizer", leader.lane, best[0].id, policy.optimizer_turns))
        family = _family(state, leader.lane)
        others = [a for a in best if _family(state, a.submitted.lane) != family]

        if others:
            rival = others[0]
            turns = policy.challenger_turns
            wanted.append(("challenger", rival.submitted.lane, rival.id, turns))

    for lane in state.lanes.executable():
        tried = state.attempts.of_lane(lane.name)

        if tried and all(a.standing in ("reject", "failed") for a in tried):
            last = max(tried, key=lambda a: (a.submitted.round, a.submitted.turn, a.id))
            wanted.append(("repair", lane.name, last.id, policy.repair_turns))

    return wanted


def _finalize(state: RunState, context: Context) -> tuple[Fact, ...]:
    done = any(r.stage == "finalize" for r in state.stages.rounds)
    best = candidates(state, context)

    if best and not done:
        wanted: Wanted = (
            "finalizer",
            best[0].submitted.lane,
            None,
            context.policy.finalizer_turns,
        )
        return (_open(state, "finalize", [_slot(state, context, wanted, place=1)]),)

    because = "the finalizer is done" if done else "no accepted candidate beats the null models"
    return (StageEnded(stage="finalize", because=because),)


def covered(state: RunState, context: Context) -> tuple[Fact, ...]:
    """Record the coverage of each tried lane, once."""
    out: list[Fact] = []

    for lane in state.lanes.due():
        attempts = state.attempts.of_lane(lane.name)
        accepted = sum(a.standing == "accept" for a in attempts)
        needed = context.policy.min_accepted
        short = ", ".join(f"{a.id}: {a.standing}" for a in attempts) or "no attempt was handed in"
        reason = "covered" if accepted >= needed else f"{accepted} of {needed} accepted ({short})"
        out.append(LaneCovered(lane=lane.name, accepted=accepted, reason=reason))

    return tuple(out)


def _dear(state: RunState) -> tuple[Lane, ...]:
    """Return the waiting lanes that what is left of the stage does not carry."""
    none = state.stages.attempts_left("explore") == 0
    return state.lanes.dearer(-1 if none else state.stages.left("explore"))


def _too_dear(state: RunState, lane: Lane) -> str:
    """Say why what is left of the stage does not carry an attempt of a lane, if so."""
    left, attempts = state.stages.left("explore"), state.stages.attempts_left("explore")

    if _price(state, lane.name) > left:
        return f"an attempt takes {lane.proposed.units} units, {left} are left in this stage"

    return "no attempts are left in this stage" if attempts == 0 else ""


def _slot(state: RunState, context: Context, wanted: Wanted, *, place: int) -> Slot:
    role, lane, base, turns = wanted
    number = len(state.stages.rounds) + 1
    return Slot(
        slot=place,
        worker=f"w-{lane}-{role}-r{number}s{place}",
        agent=context.policy.agent,
        role=role,
        lane=lane,
        base=base,
        turns=turns,
    )


def _open(state: RunState, stage: Stage, slots: list[Slot]) -> RoundOpened:
    return RoundOpened(stage=stage, round=len(state.stages.rounds) + 1, slots=tuple(slots))


def _family(state: RunState, lane: str) -> str:
    known = state.lanes.get(lane)
    return "" if known is None else known.proposed.family
