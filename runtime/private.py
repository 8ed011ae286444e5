"""What a trusted job is told besides its request: places, digests, and what is known of an attempt.

It goes into the job's file, never into an event.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import orjson

from projections.attempts import Attempt
from projections.jobs import Job
from projections.run import RunState
from runtime.ports import OutputFile

Files = Callable[[str], Sequence[OutputFile]]
"""The files behind a manifest digest."""


def private(state: RunState, job: Job, run: Path, files: Files) -> Mapping[str, str]:
    """Return what a trusted job is told besides its request: paths, digests, the look's number."""
    if job.request.sandbox != "trusted":
        return {}

    told = {
        "run": os.fspath(run.absolute()),
        "subject": job.request.subject,
        "fold": job.request.fold,
        "until": str(state.seq),
        **documents(state),
    }
    attempt = state.attempts.get(job.request.subject)

    if job.request.kind == "probe":
        return {**told, "template": job.request.subject}

    if attempt is None:
        return told

    return {**told, "nulls": _nulls(state, files), **_of_attempt(state, attempt)}


def documents(state: RunState) -> Mapping[str, str]:
    """Return the blob digests of contract, inventory, split and profile."""
    task = state.task
    return {
        "contract": "" if task.task is None else task.task.contract,
        "inventory": "" if task.inventory is None else task.inventory.inventory,
        "split": "" if task.split is None else task.split.split,
        "profile": "" if task.profile is None else task.profile.profile,
    }


def _nulls(state: RunState, files: Files) -> str:
    """Return the digest of `nulls.json`, which holds the per-case scores of the null models."""
    job = next((j for j in state.jobs.of("run") if j.request.kind == "null"), None)

    if job is None or job.finished is None:
        return ""

    found = (f.digest for f in files(job.finished.outputs) if f.path == "nulls.json")
    return next(found, "")


def _earlier(state: RunState, made: Attempt) -> list[dict[str, str]]:
    """Return the digests of accepted predictions that an attempt must not repeat.

    Attempts of others in the same round are left out, so that the answer does not depend on who
    was ready first; those that were not accepted, since what never counts must change nothing. A
    finalizer may equal what it averages, and its worker's own earlier attempts are all it repeats.
    """
    alone = made.submitted.role == "finalizer"
    return [
        {"attempt": a.id, "lane": a.submitted.lane, "payload": e.says}
        for a in sorted(_others(state, made), key=lambda a: a.id)
        if a.id != made.id and (_same_worker(a, made) or (_counts(a, state) and not alone))
        for f in a.findings
        for e in f.evidence
        if e.ref == "payload"
    ]


def _others(state: RunState, made: Attempt) -> Iterable[Attempt]:
    """Return the attempts that may count: the worker's own, and all that were accepted."""
    own = state.attempts.of_worker(made.submitted.worker)
    return {a.id: a for a in (*own, *state.attempts.accepted())}.values()


def _same_worker(other: Attempt, made: Attempt) -> bool:
    return other.submitted.worker == made.submitted.worker


def _counts(other: Attempt, state: RunState) -> bool:
    return other.standing == "accept" and state.round_closed(other.submitted.round)


def _of_attempt(state: RunState, made: Attempt) -> Mapping[str, str]:
    claims = [c.model_dump(mode="json") for c in made.submitted.claims]
    jobs = [j for j in state.jobs.of(made.id) if j.request.kind in ("train", "predict")]
    records = [j.access.record or "" for j in jobs if j.access is not None]
    return {
        "attempt": made.id,
        "lane": made.submitted.lane,
        "claims": orjson.dumps(claims).decode(),
        "earlier": orjson.dumps(_earlier(state, made)).decode(),
        "access": ",".join(records),
        "assurance": "none" if made.executed is None else made.executed.assurance,
        "look": str(state.stages.look_of(made.submitted.worker, made.submitted.turn)),
    }
