"""Jobs by key: what was asked for, and what became of it.

Reads job.*, access.recorded and run.resumed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ledger.events.base import Fact
from ledger.events.job import (
    AccessRecorded,
    JobFailed,
    JobFinished,
    JobGivenUp,
    JobKind,
    JobLost,
    JobRequested,
)
from ledger.events.key import key_of
from ledger.events.run import RunResumed
from projections.entries import Entries

JobStatus = Literal["open", "finished", "failed", "lost", "given up"]

OF_THE_RUN = frozenset({"null", "test", "package"})
"""Kinds without which a run cannot go on, and which no verdict takes the place of."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job under its newest epoch."""

    key: str
    request: JobRequested
    status: JobStatus
    finished: JobFinished | None = None
    failed: JobFailed | None = None
    access: AccessRecorded | None = None
    given_up: JobGivenUp | None = None
    lost: JobLost | None = None
    """The last loss."""
    losses: int = 0
    """How often it was lost by its own end since the run was started or resumed."""

    @property
    def came_to_nothing(self) -> bool:
        """Say whether it ended without outputs and is not asked for again."""
        return self.status in ("failed", "given up")

    @property
    def why(self) -> str:
        """Say why it came to nothing, for people."""
        if self.failed is not None:
            return self.failed.reason

        return "" if self.given_up is None else self.given_up.because


class Jobs:
    """All jobs of a run."""

    def __init__(self) -> None:
        """Start with no jobs."""
        self._by_key = Entries[Job]()
        self._keys_of: dict[str, list[str]] = {}
        self._number: dict[str, int] = {}
        """Key to its place in the order of first requests."""
        self._with: dict[JobStatus, set[str]] = {}
        self._lossy: set[str] = set()
        """Jobs whose losses count."""

    def apply(self, event: Fact) -> None:
        """Take in one event; outcomes of an older epoch change nothing."""
        match event:
            case JobRequested():
                self._request(event)
            case JobFinished(key=key):
                self._end(key, event.epoch, "finished", finished=event)
            case JobFailed(key=key):
                self._end(key, event.epoch, "failed", failed=event)
            case JobLost(key=key):
                self._lose(event)
            case JobGivenUp(key=key):
                given = self._by_key.get(key)

                if given is not None:
                    self._put(replace(given, status="given up", given_up=event))
            case RunResumed():
                self._try_again()
            case AccessRecorded(key=key):
                job = self._under_way(key, event.epoch)

                if job is not None:
                    self._put(replace(job, access=event))
            case _:
                pass

    def _request(self, event: JobRequested) -> None:
        key = key_of(event)

        if key not in self._by_key:
            self._keys_of.setdefault(event.subject, []).append(key)
            self._number[key] = len(self._number)

        losses = self._by_key[key].losses if key in self._by_key else 0
        self._put(Job(key, event, "open", losses=losses))

    def _put(self, job: Job) -> None:
        known = self._by_key.get(job.key)

        if known is None or known.status != job.status:
            self._with.setdefault(job.status, set()).add(job.key)

            if known is not None:
                self._with[known.status].discard(job.key)

        self._by_key[job.key] = job
        (self._lossy.add if job.losses else self._lossy.discard)(job.key)

    def _end(
        self,
        key: str,
        epoch: int,
        status: JobStatus,
        *,
        finished: JobFinished | None = None,
        failed: JobFailed | None = None,
    ) -> None:
        job = self._under_way(key, epoch)

        if job is not None:
            self._put(replace(job, status=status, finished=finished, failed=failed))

    def _lose(self, event: JobLost) -> None:
        job = self._under_way(event.key, event.epoch)

        if job is not None:
            losses = job.losses + (event.cause == "ended")
            self._put(replace(job, status="lost", lost=event, losses=losses))

    def _try_again(self) -> None:
        """Forget losses: who resumes a run wants what stopped it to be tried again."""
        for key in sorted(self._lossy, key=self._number.__getitem__):
            job = self._by_key[key]
            again = job.status == "given up" and job.request.kind in OF_THE_RUN
            self._put(replace(job, status="lost" if again else job.status, losses=0))

    def _under_way(self, key: str, epoch: int) -> Job | None:
        """Return the job of an outcome; None when it is unknown, ended or of another epoch."""
        job = self._by_key.get(key)
        fresh = job is not None and job.status == "open" and job.request.epoch == epoch
        return job if fresh else None

    @property
    def entries(self) -> Entries[Job]:
        """Jobs, in the order of first requests."""
        return self._by_key

    def __iter__(self) -> Iterator[Job]:
        """Yield jobs in the order of their first request."""
        yield from self._by_key.values()

    def get(self, key: str) -> Job | None:
        """Return the job with this key, if there is one."""
        return self._by_key.get(key)

    def of(self, subject: str) -> tuple[Job, ...]:
        """Return a subject's jobs in the order of their first request."""
        return tuple(self._by_key[key] for key in self._keys_of.get(subject, ()))

    def one(self, subject: str, kind: JobKind, fold: str) -> Job | None:
        """Return the job of a subject by kind and fold, if it was asked for."""
        return next(
            (j for j in self.of(subject) if j.request.kind == kind and j.request.fold == fold),
            None,
        )

    def with_status(self, status: JobStatus) -> tuple[Job, ...]:
        """Return the jobs in one status, in order of their first request."""
        keys = sorted(self._with.get(status, ()), key=self._number.__getitem__)
        return tuple(self._by_key[key] for key in keys)
