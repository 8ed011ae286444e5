"""What a run's events say, parsed and indexed for looking back. Pure: a fold, nothing else."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ledger.events.base import Fact
from ledger.events.job import Input, JobFinished, JobRequested
from ledger.events.key import key_of
from ledger.events.stored import from_record
from ledger.events.work import AttemptSubmitted, CommitFrozen
from ledger.record import Record

SomeFact = TypeVar("SomeFact", bound=Fact)


@dataclass(frozen=True, slots=True)
class Step:
    """One event with its number."""

    seq: int
    fact: Fact


@dataclass(frozen=True, slots=True)
class Job:
    """A request by its key, with the result that counted."""

    key: str
    request: JobRequested
    requested: int
    finished: JobFinished | None = None
    ended: int | None = None


@dataclass(slots=True)
class History:
    """The events of a run up to some number."""

    steps: tuple[Step, ...]
    commits: Mapping[str, CommitFrozen] = field(init=False)
    attempts: Mapping[str, AttemptSubmitted] = field(init=False)
    jobs: Mapping[str, Job] = field(init=False)
    """Key to job, in the order of first request."""

    def __post_init__(self) -> None:
        """Index commits by id, attempts by name and jobs by key."""
        self.commits = {fact.commit: fact for _, fact in self.all(CommitFrozen)}
        self.attempts = {fact.attempt: fact for _, fact in self.all(AttemptSubmitted)}
        self.jobs = _jobs(self.steps)

    @classmethod
    def of(cls, records: Iterable[Record], *, until: int | None = None) -> "History":
        """Read stored events, up to and including number `until`.

        Raises:
            ledger.errors.LedgerError: an event is of a type that this program does not know, or
                does not hold what such an event holds.
        """
        return cls(
            tuple(
                Step(record.seq, from_record(record))
                for record in records
                if until is None or record.seq <= until
            )
        )

    @property
    def head(self) -> int:
        """Number of the last event; 0 when there is none."""
        return self.steps[-1].seq if self.steps else 0

    def all(self, kind: type[SomeFact]) -> tuple[tuple[int, SomeFact], ...]:
        """Return every event of one class with its number, in order."""
        return tuple((step.seq, step.fact) for step in self.steps if isinstance(step.fact, kind))

    def last(self, kind: type[SomeFact]) -> tuple[int, SomeFact] | None:
        """Return the latest event of one class with its number."""
        found = self.all(kind)
        return found[-1] if found else None

    def code_of(self, attempt: str) -> CommitFrozen | None:
        """Return the frozen commit of an attempt."""
        submitted = self.attempts.get(attempt)
        return None if submitted is None else self.commits.get(submitted.commit)

    def jobs_of(self, attempt: str, kind: str) -> tuple[Job, ...]:
        """Return the jobs of one kind that were asked for an attempt, by fold."""
        found = [
            job
            for job in self.jobs.values()
            if job.request.subject == attempt and job.request.kind == kind
        ]
        return tuple(sorted(found, key=lambda job: (job.request.fold, job.requested)))

    def source_of(self, request: JobRequested, given: Input) -> Job | None:
        """Return the job whose outputs are the given input of a request.

        Jobs with equal outputs share a manifest digest, so the input's name decides between them:
        `members/<attempt>/<fold>` says whose it is, `model` is the request's own train job.
        """
        found = [
            job
            for job in self.jobs.values()
            if job.finished is not None and job.finished.outputs == given.digest
        ]
        if not found:
            return None

        def distance(job: Job) -> tuple[bool, bool, bool, int]:
            of, fold = job.request.subject, job.request.fold
            named = f"/{given.name}".endswith((f"/{of}/{fold}", f"/{fold}"))
            kin = (of, fold) == (request.subject, request.fold)
            return (
                not f"/{given.name}".endswith(f"/{of}/{fold}"),
                not named,
                not kin,
                job.requested,
            )

        return min(found, key=distance)

    def needed_by(self, job: Job) -> tuple[tuple[Input, Job], ...]:
        """Return the earlier jobs whose outputs a job reads, with the input that names each."""
        found = [
            (given, self.source_of(job.request, given))
            for given in job.request.inputs
            if given.kind == "outputs"
        ]
        return tuple((given, source) for given, source in found if source is not None)


def _jobs(steps: tuple[Step, ...]) -> dict[str, Job]:
    jobs: dict[str, Job] = {}
    for step in steps:
        match step.fact:
            case JobRequested() as request:
                key = key_of(request)
                jobs.setdefault(key, Job(key, request, step.seq))
            case JobFinished() as finished if finished.key in jobs:
                job = jobs[finished.key]
                if job.finished is None:
                    jobs[job.key] = Job(job.key, job.request, job.requested, finished, step.seq)
            case _:
                pass

    return jobs


__all__ = ["History", "Job", "Step"]
