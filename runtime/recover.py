"""After a crash: find out what became of each intent that has no outcome."""

from collections.abc import Sequence
from pathlib import Path

from ledger.events.base import Fact
from ledger.events.job import JobLost
from ledger.events.work import SessionLost
from runtime.intents import Intent, JobIntent
from runtime.ports import Executor


def reconcile(intents: Sequence[Intent], run: Path, executor: Executor) -> Sequence[Fact]:
    """Return a loss for each intent of an earlier process that left no whole result.

    A job whose result is whole stays open: the loop adopts it. Leftover processes of the others
    are ended before they are called lost.
    """
    lost: list[Fact] = []

    for intent in intents:
        if isinstance(intent, JobIntent):
            job = intent.job

            if executor.recover(run / "jobs" / job.key) != "finished":
                because = "no whole result was found after the interruption"
                epoch = job.request.epoch
                lost.append(JobLost(key=job.key, epoch=epoch, because=because, cause="interrupted"))
        elif (asked := intent.worker.session) is not None:
            because = "the turn was interrupted before its edit was frozen"
            lost.append(
                SessionLost(
                    worker=asked.worker, turn=asked.turn, epoch=asked.epoch, because=because
                )
            )

    return lost
