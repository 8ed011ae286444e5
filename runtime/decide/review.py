"""Send executed attempts to the reviewer, rule over what it found, and release feedback."""

from collections.abc import Sequence

from ledger.events.base import Fact
from ledger.events.review import (
    CheckFound,
    FeedbackReleased,
    Outcome,
    ReviewRequested,
    VerdictGiven,
)
from ledger.events.review import Evidence as Ground
from projections.attempts import Attempt
from projections.jobs import Job
from projections.run import RunState
from runtime.decide import requests
from runtime.decide.context import Context


def decide(state: RunState, context: Context) -> tuple[Fact, ...]:
    """Take the next step of the first attempt under review, in the order they were handed in."""
    for attempt in state.attempts.under_review():
        step = _step(state, context, attempt)

        if step:
            return step

    return ()


def _step(state: RunState, context: Context, attempt: Attempt) -> tuple[Fact, ...]:
    executed = attempt.executed

    if executed is None or executed.outcome != "complete" or attempt.verdict is not None:
        return ()

    if not attempt.review_requested:
        asked = requests.decode(state, context, attempt.submitted)
        return (ReviewRequested(attempt=attempt.id), asked)

    decoded = state.jobs.one(attempt.id, "decode", requests.FOLDS)

    if decoded is None or decoded.status in ("open", "lost"):
        return ()

    if decoded.status == "given up":
        return _without_review(attempt, context, decoded, "flag", "UNCHECKED")

    if decoded.status == "failed":
        return _without_review(attempt, context, decoded, "reject", "PRED_CORRUPT")

    scored = state.jobs.one(attempt.id, "review", requests.FOLDS)

    if scored is None:
        return (requests.score(state, context, attempt.id, requests.FOLDS),)

    if scored.came_to_nothing:
        return _without_review(attempt, context, scored, "flag", "UNCHECKED")

    return _rule(state, context, attempt) if scored.status == "finished" else ()


def _rule(state: RunState, context: Context, attempt: Attempt) -> tuple[Fact, ...]:
    given = _verdict(attempt, context, attempt.findings)
    n = state.stages.look_of(attempt.submitted.worker, attempt.submitted.turn)
    looks = 0 if state.task.task is None else state.task.task.looks

    if n > looks or attempt.submitted.role == "finalizer":
        return (given,)

    says = "decision, reason codes, advice, class means rounded to 0.005"
    return (given, FeedbackReleased(attempt=attempt.id, n=n, says=says))


def _without_review(
    attempt: Attempt, context: Context, job: Job, outcome: Outcome, code: str
) -> tuple[Fact, ...]:
    """Rule where a job of the review failed; the failure is the finding that the verdict rests on.

    Nothing was measured, so no look at the validation set was taken and none is released.
    """
    found = CheckFound(
        attempt=attempt.id,
        check=f"{job.request.kind}-job/1",
        outcome=outcome,
        code=code,
        says=f"the {job.request.kind} job came to nothing: {job.why}",
        evidence=(Ground(kind="blob", ref=job.failed.log, says="its log"),)
        if job.failed is not None and job.failed.log is not None
        else (),
    )
    return (found, _verdict(attempt, context, (found,)))


def _verdict(attempt: Attempt, context: Context, findings: Sequence[CheckFound]) -> VerdictGiven:
    ruling = context.domain.verdict(findings)
    return VerdictGiven(
        attempt=attempt.id,
        verdict=ruling.verdict,
        codes=ruling.codes,
        rules=context.domain.rules_digest(),
        assurance="none" if attempt.executed is None else attempt.executed.assurance,
    )
