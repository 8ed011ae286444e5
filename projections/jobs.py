"""Jobs by key: what was asked for, and what became of it.

Reads job.* and access.recorded.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ledger.events.base import Fact
from ledger.events.job import (
    AccessRecorded,
    JobFailed,
    JobFinished,
    JobKind,
    JobLost,
    JobRequested,
)
from ledger.events.key import key_of

JobStatus = Literal["open", "finished", "failed", "lost"]


@dataclass(frozen=True, slots=True)
class Job:
    """One job under its newest epoch."""

    key: str
    request: JobRequested
    status: JobStatus
    finished: JobFinished | None = None
    failed: JobFailed | None = None
    access: AccessRecorded | None = None


class Jobs:
    """All jobs of a run."""

    def __init__(self) -> None:
        """Start with no jobs."""
        self._by_key: dict[str, Job] = {}
        self._keys_of: dict[str, list[str]] = {}

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
                self._end(key, event.epoch, "lost")
            case AccessRecorded(key=key):
                job = self._under_way(key, event.epoch)

                if job is not None:
                    self._by_key[key] = replace(job, access=event)
            case _:
                pass

    def _request(self, event: JobRequested) -> None:
        key = key_of(event)

        if key not in self._by_key:
            self._keys_of.setdefault(event.subject, []).append(key)

        self._by_key[key] = Job(key, event, "open")

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
            self._by_key[key] = replace(job, status=status, finished=finished, failed=failed)

    def _under_way(self, key: str, epoch: int) -> Job | None:
        """Return the job of an outcome; None when it is unknown, ended or of another epoch."""
        job = self._by_key.get(key)
        fresh = job is not None and job.status == "open" and job.request.epoch == epoch
        return job if fresh else None

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
        return tuple(job for job in self._by_key.values() if job.status == status)
