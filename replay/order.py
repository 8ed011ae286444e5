"""Which recorded jobs are executed again, and which of them at the same time."""

from collections.abc import Sequence
from typing import Literal

from replay.history import History, Job
from runtime.decide.overlap import may_overlap
from runtime.errors import Needed
from runtime.jobspec import CODE_KINDS


def wanted(history: History, attempts: Sequence[str] | Literal["all"]) -> list[Job]:
    """Return the finished jobs of the attempts and all jobs whose outputs those read.

    Raises:
        Needed: an attempt is not in the run.
    """
    names = sorted(history.attempts) if attempts == "all" else list(attempts)
    for name in names:
        if name not in history.attempts:
            raise Needed(
                f"there is no attempt {name} in this run",
                why="only a recorded attempt can be executed again",
                hint=f"one of: {', '.join(sorted(history.attempts)) or 'none was submitted'}",
            )

    found: dict[str, Job] = {}
    kinds = sorted(CODE_KINDS)
    todo = [job for name in names for kind in kinds for job in history.jobs_of(name, kind)]
    while todo:
        job = todo.pop()
        if job.finished is not None and job.key not in found:
            found[job.key] = job
            todo += [source for _, source in history.needed_by(job)]

    return [job for key, job in history.jobs.items() if key in found]


def waves(history: History, jobs: Sequence[Job]) -> list[list[Job]]:
    """Return the jobs in groups; each job stands after all jobs whose outputs it reads.

    Jobs of one group run at the same time, so each group holds only jobs that may.
    """
    depth: dict[str, int] = {}
    for job in jobs:  # in the order of requests: whatever a job reads was asked for before
        sources = [source.key for _, source in history.needed_by(job)]
        depth[job.key] = 1 + max((depth.get(key, 0) for key in sources), default=0)

    ordered: list[list[Job]] = []
    for level in sorted(set(depth.values())):
        groups: list[list[Job]] = []
        for job in (job for job in jobs if depth[job.key] == level):
            _join(groups, job)

        ordered += groups

    return ordered


def _join(groups: list[list[Job]], job: Job) -> None:
    """Put a job into the first group it may run beside, else into a new one."""
    for group in groups:
        if all(may_overlap(job.request, other.request) for other in group):
            group.append(job)
            return

    groups.append([job])


__all__ = ["wanted", "waves"]
