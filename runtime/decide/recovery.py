"""Ask again for what was lost, under the next epoch."""

from ledger.events.base import Fact
from projections.run import RunState
from runtime.decide import requests
from runtime.decide.context import Context


def decide(state: RunState, context: Context) -> tuple[Fact, ...]:
    """Re-request every lost job and turn."""
    jobs = (requests.again(job.request) for job in state.jobs.with_status("lost"))
    turns = (w.session for w in state.workers if w.session_status == "lost")
    again = (t.model_copy(update={"epoch": t.epoch + 1}) for t in turns if t is not None)
    return (*jobs, *again)
