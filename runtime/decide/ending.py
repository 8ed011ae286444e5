"""Says why a run ends without a package: its own cause, and what would help. Pure."""

from collections import Counter
from typing import Literal

from projections.attempts import Attempt
from projections.lanes import Lane
from projections.run import RunState
from runtime.policy import Policy

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
    price = max(1, cheapest.proposed.units)
    share = Policy.recorded(state.task).share_explore
    cores = max(1, int(state.task.setting("cores", "1")))
    seconds = -(-price * 100 // share) // cores + 1
    given = 0 if state.task.task is None else state.task.task.units // cores
    least = f"--budget {max(seconds, given + 1)}s on {_many(cores, 'core')}"
    stage = state.stages.entered.get("explore")
    have = 0 if stage is None else stage.units
    if have >= price:
        return (
            f"the budget is too short: it was used up before an attempt began; give more than "
            f"{least}"
        )

    return (
        f"the budget is too short: the cheapest attempt (lane {cheapest.name}) takes "
        f"{_many(price, 'unit')}, the first stage has {have}; give at least {least}"
    )


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


__all__ = ["Outcome", "ending"]
