"""What was asked for and has no outcome yet: a pure function of the state."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from projections.jobs import Job
from projections.run import RunState
from projections.workers import Worker
from runtime.decide.overlap import may_overlap


@dataclass(frozen=True, slots=True)
class JobIntent:
    """A job to run."""

    job: Job

    @property
    def name(self) -> str:
        """The key and epoch, unique among intents."""
        return f"{self.job.key}.{self.job.request.epoch}"

    @property
    def says(self) -> str:
        """What is to be done, for people."""
        request = self.job.request
        return f"{request.kind} {request.subject} {request.fold} in {self.job.key[:12]}"


@dataclass(frozen=True, slots=True)
class SessionIntent:
    """A turn to be worked by an agent."""

    worker: Worker

    @property
    def name(self) -> str:
        """The worker, turn and epoch, unique among intents."""
        session = self.worker.session
        epoch = 0 if session is None else session.epoch
        return f"{self.worker.id}.{self.worker.turn}.{epoch}"

    @property
    def says(self) -> str:
        """What is to be done, for people."""
        return f"turn {self.worker.turn} of {self.worker.id}"


Intent = JobIntent | SessionIntent


def open_intents(state: RunState) -> tuple[Intent, ...]:
    """Return every intent without an outcome, sessions first, in the order they were asked for."""
    sessions = (SessionIntent(w) for w in state.workers.with_session("open"))
    jobs = (JobIntent(job) for job in state.jobs.with_status("open"))
    return (*sessions, *jobs)


def startable(state: RunState, flying: AbstractSet[str]) -> tuple[Intent, ...]:
    """Return the open intents that may begin beside those under way, in order.

    Args:
        state: The run as it stands.
        flying: Names of the intents under way.
    """
    beside = [i for i in open_intents(state) if i.name in flying]
    chosen: list[Intent] = []

    for intent in open_intents(state):
        if intent.name not in flying and all(_together(intent, other) for other in beside):
            beside.append(intent)
            chosen.append(intent)

    return tuple(chosen)


def _together(one: Intent, other: Intent) -> bool:
    if isinstance(one, JobIntent) and isinstance(other, JobIntent):
        return may_overlap(one.job.request, other.job.request)

    return True


__all__ = ["Intent", "JobIntent", "SessionIntent", "open_intents", "startable"]
