"""After the last verdict: score the test set once, build the package, end the run."""

from typing import Literal

from ledger.events.base import Fact
from ledger.events.run import RunFinished
from projections.attempts import Attempt
from projections.run import RunState
from runtime.decide import requests
from runtime.decide.context import Context
from runtime.decide.ending import ending


def decide(state: RunState, context: Context) -> tuple[Fact, ...]:
    """Take the next step towards the end of the run."""
    if state.task.finished is not None:
        return ()

    nulls = state.jobs.one("run", "null", requests.FOLDS)

    if nulls is not None and nulls.failed is not None:
        return (_end("refused", f"the null models could not be scored: {nulls.failed.reason}"),)

    if "finalize" not in state.stages.ended:
        return ()

    final = final_attempt(state)

    if final is None:
        outcome, because = ending(state)
        return (_end(outcome, because),)

    return _test(state, context, final) or _package(state, context, final)


def final_attempt(state: RunState) -> Attempt | None:
    """Return the accepted attempt of the finalizer, if there is one."""
    mine = (a for a in state.attempts if a.submitted.role == "finalizer")
    return next((a for a in mine if a.standing == "accept"), None)


def _test(state: RunState, context: Context, final: Attempt) -> tuple[Fact, ...]:
    """Return the next step of scoring the test set; nothing when it is behind us."""
    if state.task.split is None or state.task.split.test == 0:
        return ()

    if state.jobs.one(final.id, "test", requests.ALL) is not None:
        return ()

    return (requests.score(state, context, final.id, requests.ALL),)


def _package(state: RunState, context: Context, final: Attempt) -> tuple[Fact, ...]:
    jobs = [j for j in state.jobs.of(final.id) if j.request.kind in ("test", "package")]

    if any(j.status in ("open", "lost") for j in jobs):
        return ()

    failed = next((j for j in jobs if j.failed is not None), None)

    if failed is not None:
        reason = "" if failed.failed is None else failed.failed.reason
        return (_end("refused", f"the {failed.request.kind} job failed: {reason}"),)

    if state.task.package is not None:
        return (
            _end(
                "package",
                f"package of {final.id} with {state.task.package.files} files",
            ),
        )

    if state.task.refused is not None:
        missing = "; ".join(state.task.refused.missing)
        return (_end("refused", f"evidence is missing: {missing}"),)

    if any(j.request.kind == "package" for j in jobs):
        return ()

    return (requests.package(state, context, final.id),)


def _end(outcome: Literal["package", "refused", "undecided"], because: str) -> RunFinished:
    return RunFinished(outcome=outcome, because=because)
