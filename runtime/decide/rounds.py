"""Open rounds, cover lanes, and pass from stage to stage."""

from dataclasses import dataclass, replace

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
from runtime.decide.growing import longer
from runtime.decide.ranking import candidates


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who may work in a round."""

    role: Role
    lane: str
    base: str | None
    """Attempt to start from."""
    turns: int
    """At most."""
    steps: int = 0
    units: int = 0
    """Those of a longer training; 0: the lane's own."""


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
    slots = _slots(
        state, context, "explore", [Wanted("explorer", x.name, None, turns) for x in waiting]
    )

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

    why = "its round is closed" if done else "nobody to improve, challenge or repair"
    because = f"{why}; {_spending(state, context)}"
    return (
        StageEnded(stage="exploit", because=because),
        enter(state, context, "finalize"),
    )


def _spending(state: RunState, context: Context) -> str:
    """Say how much of the budget is used, and why no more of it."""
    task = state.task.task
    planned = 0 if task is None else task.units
    spent = sum(state.stages.spent.values())
    reserve = planned * context.policy.share_finalize // 100
    left = max(0, planned - spent - reserve)
    told = f"{spent} of {planned} planned units are spent, {reserve} are kept for the finalizer"
    if state.stages.exhausted is not None:
        return f"{told}; {state.stages.exhausted.because}"

    if not left:
        return told

    return f"{told}; what is left ({left}) was not used: no further attempt was worth its price"


def _slots(state: RunState, context: Context, stage: Stage, wanted: list[Wanted]) -> list[Slot]:
    """Give the first wanted workers a slot each, with the turns that the budget left carries.

    A longer training comes on top: it keeps the cores busy and hardly its worker.
    """
    most = context.policy.workers + any(one.steps for one in wanted)
    chosen = wanted[:most]
    turns = _turns(state, stage, chosen)
    carried = [replace(one, turns=n) for one, n in zip(chosen, turns, strict=True) if n]
    return [_slot(state, context, one, place=i) for i, one in enumerate(carried, start=1)]


def _turns(state: RunState, stage: Stage, wanted: list[Wanted]) -> list[int]:
    """Deal turns out one at a time in order, as long as units and attempts last."""
    units = state.stages.left(stage)
    attempts = state.stages.attempts_left(stage)
    turns = [0] * len(wanted)

    for again in range(max((one.turns for one in wanted), default=0)):
        for i, one in enumerate(wanted):
            price = one.units or _price(state, one.lane)

            if turns[i] == again < one.turns and price <= units and attempts != 0:
                turns[i] += 1
                units -= price
                attempts = None if attempts is None else attempts - 1

    return turns


def _price(state: RunState, lane: str) -> int:
    known = state.lanes.get(lane)
    return 1 if known is None else known.price


def _wanted(state: RunState, context: Context) -> list[Wanted]:
    """Name who may work in stage 2: a longer training, optimizer, challenger, repair."""
    policy = context.policy
    best = candidates(state, context)
    wanted: list[Wanted] = []
    growing = longer(state, context, state.stages.left("exploit"))

    if growing is not None:
        base = growing.attempt
        steps, units = growing.steps, growing.units
        wanted.append(Wanted("optimizer", base.submitted.lane, base.id, 1, steps, units))

    # a longer training is not varied: one variation of it would cost as much again
    others = [a for a in best if growing is None or a.submitted.lane != growing.lane.name]

    if others:
        leader = others[0].submitted
        wanted.append(Wanted("optimizer", leader.lane, others[0].id, policy.optimizer_turns))
        family = _family(state, leader.lane)
        rivals = [a for a in others if _family(state, a.submitted.lane) != family]

        if rivals:
            rival = rivals[0]
            turns = policy.challenger_turns
            wanted.append(Wanted("challenger", rival.submitted.lane, rival.id, turns))

    for lane in state.lanes.executable():
        tried = state.attempts.of_lane(lane.name)

        if tried and all(a.standing in ("reject", "failed") for a in tried):
            last = max(tried, key=lambda a: (a.submitted.round, a.submitted.turn, a.id))
            wanted.append(Wanted("repair", lane.name, last.id, policy.repair_turns))

    return wanted


def _finalize(state: RunState, context: Context) -> tuple[Fact, ...]:
    done = any(r.stage == "finalize" for r in state.stages.rounds)
    best = candidates(state, context)

    if best and not done:
        turns = context.policy.finalizer_turns
        wanted = Wanted("finalizer", best[0].submitted.lane, None, turns)
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
    number = len(state.stages.rounds) + 1
    return Slot(
        slot=place,
        worker=f"w-{wanted.lane}-{wanted.role}-r{number}s{place}",
        agent=context.policy.agent,
        role=wanted.role,
        lane=wanted.lane,
        base=wanted.base,
        turns=wanted.turns,
        steps=wanted.steps,
        units=wanted.units,
    )


def _open(state: RunState, stage: Stage, slots: list[Slot]) -> RoundOpened:
    return RoundOpened(stage=stage, round=len(state.stages.rounds) + 1, slots=tuple(slots))


def _family(state: RunState, lane: str) -> str:
    known = state.lanes.get(lane)
    return "" if known is None else known.proposed.family
