"""Ask again for what was lost, under the next epoch, as often as the policy allows."""

from ledger.events.base import Fact
from ledger.events.job import JobGivenUp
from projections.jobs import OF_THE_RUN, Job
from projections.run import RunState
from runtime.decide import requests
from runtime.decide.context import Context


def decide(state: RunState, context: Context) -> tuple[Fact, ...]:
    """Re-request every lost job and turn, or give the job up."""
    jobs = (_again(job, context) for job in state.jobs.with_status("lost"))
    turns = (w.session for w in state.workers.with_session("lost"))
    again = (t.model_copy(update={"epoch": t.epoch + 1}) for t in turns if t is not None)
    return (*jobs, *again)


def _again(job: Job, context: Context) -> Fact:
    if job.losses < context.policy.losses_most:
        return requests.again(job.request)

    last = "" if job.lost is None else job.lost.because
    because = f"lost {job.losses} times, the last time: {last}"
    return JobGivenUp(key=job.key, epoch=job.request.epoch, because=because)


def stuck(state: RunState) -> str:
    """Return why a run cannot go on before it is resumed; empty when it can."""
    for job in state.jobs.with_status("given up"):
        if job.request.kind in OF_THE_RUN:
            return f"the {job.request.kind} job was {job.why}"

    return ""
