"""Turn what came back from a port into facts, and what goes with a trusted job into its file."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import orjson

from ledger.events.base import Fact
from ledger.events.job import (
    AccessRecorded,
    Denied,
    JobFailed,
    JobFinished,
    JobRequested,
    Resources,
)
from ledger.events.work import (
    AttemptSubmitted,
    Claim,
    CommitFrozen,
    NoteLeft,
    SessionFailed,
    SessionRequested,
    TreeFile,
    TurnFinished,
)
from projections.attempts import Attempt
from projections.jobs import Job
from projections.run import RunState
from projections.workers import Worker
from runtime.errors import AttemptRefused, ExecutorFailed
from runtime.layout import write_manifest
from runtime.ports import Domain, Frozen, JobOutcome, OutputFile, PutBlob, Turn

_TRUSTED_OUTCOMES = frozenset({"null", "probe", "review", "test", "package"})
"""Kinds whose outputs the domain translates into facts."""
_MESSAGE = 500
"""Characters of a reason that go into an event; the whole text is in the log blob."""


def attempt_id(worker: Worker, turn: int) -> str:
    """Return the id of the attempt a worker hands in at a turn."""
    return f"a-{worker.id.removeprefix('w-')}t{turn}"


def session_failed(asked: SessionRequested, reason: str) -> SessionFailed:
    """Say that a turn gave no usable edit."""
    return SessionFailed(
        worker=asked.worker, turn=asked.turn, epoch=asked.epoch, reason=reason[:_MESSAGE]
    )


def handed_in(
    state: RunState, worker: Worker, turn: Turn, frozen: Frozen, domain: Domain, put: PutBlob
) -> Sequence[Fact]:
    """Return the facts of a finished turn: transcript, frozen commit, attempt.

    Raises:
        runtime.errors.AttemptRefused: attempt.toml is missing or not usable.
    """
    asked = worker.session

    if asked is None:
        raise ExecutorFailed(f"worker {worker.id} handed in a turn nobody asked for")

    content = {f.path: f.content for f in frozen.files}

    if "attempt.toml" not in content:
        raise AttemptRefused(
            "the worktree holds no attempt.toml",
            why="the runtime learns from it what to execute",
            hint="write attempt.toml into the root of the worktree",
        )

    facts: list[Fact] = [
        TurnFinished(
            worker=worker.id,
            turn=asked.turn,
            epoch=asked.epoch,
            transcript=put(turn.transcript),
            tokens=turn.tokens,
            cost_microusd=turn.cost_microusd,
            wall_ms=turn.wall_ms,
        ),
        _commit(worker, asked, frozen, put),
    ]

    if "notes.md" in content:
        note = put(content["notes.md"])
        facts.append(NoteLeft(worker=worker.id, turn=asked.turn, note=note))

    return (*facts, _submitted(state, worker, asked, frozen, domain))


def _commit(worker: Worker, asked: SessionRequested, frozen: Frozen, put: PutBlob) -> CommitFrozen:
    files = tuple(
        TreeFile(path=f.path, mode=f.mode, digest=put(f.content), bytes=len(f.content))
        for f in frozen.files
    )
    return CommitFrozen(
        worker=worker.id,
        turn=asked.turn,
        commit=frozen.commit,
        tree=frozen.tree,
        parent=frozen.parent,
        message=frozen.message,
        files=files,
    )


def _submitted(
    state: RunState, worker: Worker, asked: SessionRequested, frozen: Frozen, domain: Domain
) -> AttemptSubmitted:
    found = state.stages.slot_of(worker.id)

    if found is None:
        raise ExecutorFailed(f"no round names worker {worker.id}")

    opened, slot = found
    content = next(f.content for f in frozen.files if f.path == "attempt.toml")
    manifest = domain.manifest(content)

    if slot.role == "finalizer" and (manifest.train or not manifest.members):
        raise AttemptRefused(
            "a finalizer averages members and trains nothing",
            where="attempt.toml",
            hint="set train = [] and list the accepted candidates in members",
        )

    lane = state.lanes.get(slot.lane)
    units = 1 if slot.role == "finalizer" or lane is None else lane.proposed.units
    return AttemptSubmitted(
        attempt=attempt_id(worker, asked.turn),
        worker=worker.id,
        lane=slot.lane,
        role=slot.role,
        stage=opened.stage,
        round=opened.round,
        slot=slot.slot,
        turn=asked.turn,
        commit=frozen.commit,
        description=manifest.description,
        train=manifest.train,
        predict=manifest.predict,
        members=manifest.members if slot.role == "finalizer" else (),
        claims=tuple(Claim(metric=m, value=v) for m, v in manifest.claims),
        units=units,
    )


def job_ended(
    request: JobRequested, folder: Path, outcome: JobOutcome, domain: Domain, put: PutBlob
) -> Sequence[Fact]:
    """Store what a job left and return its facts; the one that ends the job comes last."""
    log = None if outcome.log is None else put(outcome.log)
    access = _access(outcome, put) if request.sandbox != "trusted" else ()
    used = Resources(
        wall_ms=outcome.wall_ms, cpu_ms=outcome.cpu_ms, max_rss_kib=outcome.max_rss_kib
    )

    if outcome.status != "finished":
        failed = JobFailed(
            key=outcome.key,
            epoch=outcome.epoch,
            reason=outcome.reason[:_MESSAGE],
            log=log,
            assurance=outcome.assurance,
            resources=used,
        )
        return (*access, failed)

    out = folder / "out"
    _store(out, outcome, put)
    translated = kind_outcomes(request, out, domain, put)
    finished = JobFinished(
        key=outcome.key,
        epoch=outcome.epoch,
        outputs=put(write_manifest(outcome.outputs)),
        log=log,
        stopped_at=outcome.stopped_at,
        assurance=outcome.assurance,
        reproduction="bitwise",
        resources=used,
    )
    return (*access, *translated, finished)


def kind_outcomes(request: JobRequested, out: Path, domain: Domain, put: PutBlob) -> Sequence[Fact]:
    """Return the facts that the domain reads out of a trusted job's output folder."""
    if request.kind not in _TRUSTED_OUTCOMES:
        return ()

    return domain.outcomes(request.kind, request.subject, out, put)


def _store(out: Path, outcome: JobOutcome, put: PutBlob) -> None:
    for file in outcome.outputs:
        if put(out / file.path) != file.digest:
            raise ExecutorFailed(
                f"{file.path} changed after its job ended",
                where=out,
                why="the digest in the ledger would not be that of what the job wrote",
                hint="end whatever writes into the run folder, and resume",
            )


def _access(outcome: JobOutcome, put: PutBlob) -> Sequence[Fact]:
    seen = outcome.access
    denied = tuple(Denied(op=d.op, path=d.path, result=d.result) for d in seen.denied[:50])
    return (
        AccessRecorded(
            key=outcome.key,
            epoch=outcome.epoch,
            record=None if seen.record is None else put(seen.record),
            opened=seen.opened,
            denied=denied,
            denied_total=seen.denied_total,
            recorder=seen.recorder,
            complete=seen.complete,
        ),
    )


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
    """Return what the reviewer saw of earlier attempts: of closed rounds and of the same worker.

    Attempts of others in the same round are left out, so that the answer does not depend on who
    was ready first.
    """
    closed = {r.round for r in state.stages.rounds if state.round_closed(r.round)}
    told = (
        {"attempt": a.id, "lane": a.submitted.lane, "payload": e.says}
        for a in sorted(state.attempts, key=lambda a: a.id)
        if a.submitted.round in closed or a.submitted.worker == made.submitted.worker
        if a.id != made.id
        for f in a.findings
        for e in f.evidence
        if e.ref == "payload"
    )
    return list(told)


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
