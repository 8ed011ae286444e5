"""Says why a run ends without a package: its own cause, and what would help. Pure."""

from collections import Counter
from typing import Literal

from projections.attempts import Attempt
from projections.lanes import Lane
from projections.run import RunState

Outcome = Literal["refused", "undecided"]


def ending(state: RunState) -> tuple[Outcome, str]:
    """Return how a run without a final attempt ends: undecided where only a flag is in the way."""
    counted = [a for a in state.attempts if a.standing != "void"]
    if not counted:
        return "refused", _nothing_tried(state)

    final = [a for a in counted if a.submitted.role == "finalizer"]
    if final:
        return _judged(final, "the final attempt")

    accepted = [a for a in counted if a.standing == "accept"]
    if accepted:
        return "refused", (
            f"none of {_many(len(accepted), 'accepted attempt')} beats every model that does not "
            "look at the image: more cases, or a longer --budget, may tell them apart"
        )

    return _judged(counted, "every attempt")


def _judged(attempts: list[Attempt], whose: str) -> tuple[Outcome, str]:
    """Tell of attempts of which none was accepted; what a person may settle comes first."""
    for standing, outcome in (("flag", "undecided"), ("reject", "refused")):
        mine = [a for a in attempts if a.standing == standing]
        if mine:
            what = "flagged" if standing == "flag" else "rejected"
            count = f"{len(mine)} of {_many(len(attempts), 'attempt')}"
            person = "; a person must decide" if standing == "flag" else ""
            told = f"{whose} is {what} ({count}): {_found(mine, standing)}{person}"
            return ("undecided" if outcome == "undecided" else "refused"), told

    failed = [a for a in attempts if a.executed is not None and a.standing == "failed"]
    if failed and failed[0].executed is not None:
        count = f"{len(failed)} of {_many(len(attempts), 'attempt')}"
        return "refused", f"{whose} failed ({count}), {failed[0].id}: {failed[0].executed.reason}"

    return "refused", "no attempt was judged before the budget ended: give more with --budget"


def _found(attempts: list[Attempt], outcome: str) -> str:
    """Return the codes with how many attempts have them, and what the first finding saw."""
    findings = [f for a in attempts for f in a.findings if f.outcome == outcome]
    codes = Counter(code for a in attempts if a.verdict is not None for code in a.verdict.codes)
    listed = ", ".join(f"{code} ({count})" for code, count in sorted(codes.items()))
    return f"{listed}: {findings[0].says}" if findings else listed or outcome


def _nothing_tried(state: RunState) -> str:
    lanes = state.lanes.executable()
    if not lanes:
        return "no method that is here suits this task: `amid tail` lists what was proposed"

    if any(state.workers.get(s.worker) for r in state.stages.rounds for s in r.slots):
        failed = [w.failed.reason for w in state.workers if w.failed is not None]
        return f"no worker handed in an attempt: {failed[0] if failed else 'no turn was finished'}"

    return _too_short(state, lanes)


def _too_short(state: RunState, lanes: tuple[Lane, ...]) -> str:
    cheapest = min(lanes, key=lambda lane: (lane.proposed.units, lane.name))
    price = cheapest.proposed.units
    units = 0 if state.task.task is None else state.task.task.units
    stage = state.stages.entered.get("explore")
    share = stage.units if stage is not None else 0
    if share >= price or not units or not share:
        exhausted = state.stages.exhausted
        return f"the budget ended before an attempt began: {exhausted.because if exhausted else ''}"

    cores = max(1, int(state.task.setting("cores", "1")))
    seconds = -(-price * units // share) // cores + 1
    return (
        f"the budget is too short: the cheapest attempt (lane {cheapest.name}) takes {price} "
        f"units, the first stage has {share}; give at least --budget {seconds}s on {cores} cores"
    )


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


__all__ = ["Outcome", "ending"]
