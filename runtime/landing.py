"""Turn what came back from a port into facts."""

from collections.abc import Callable, Sequence
from pathlib import Path

import orjson

from ledger.events.base import Fact
from ledger.events.job import (
    AccessRecorded,
    Denied,
    JobFailed,
    JobFinished,
    JobLost,
    JobRequested,
    Reproduction,
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
from projections.run import RunState
from projections.workers import Worker
from runtime.errors import AttemptRefused, ExecutorFailed
from runtime.layout import write_manifest
from runtime.ports import (
    Brief,
    Domain,
    Frozen,
    JobOutcome,
    Manifest,
    Past,
    PutBlob,
    Turn,
)

_TRUSTED_OUTCOMES = frozenset({"null", "probe", "review", "test", "package"})
"""Kinds whose outputs the domain translates into facts."""
_OURS = frozenset({"null", "probe", "decode", "review", "test", "package"})
"""Kinds that run our own code: a signal that kills one of them says nothing of what it was to say.
"""
_SAY_NOTHING = frozenset({"SIGNAL", "SANDBOX_FAILED", "RECORD_BROKEN", "NOT_ENDED", "DEFECT"})
_ACCELERATORS = (b"other:/dev/nvidia", b"other:/dev/kfd", b"other:/dev/dri")
_MESSAGE = 500
"""Characters of a reason that go into an event; the whole text is in the log blob."""


def attempt_id(worker: Worker, turn: int) -> str:
    """Return the id of the attempt a worker hands in at a turn."""
    return f"a-{worker.id.removeprefix('w-')}t{turn}"


def read_brief(prompt: str) -> Brief:
    """Read a recorded prompt back."""
    values = orjson.loads(prompt)
    past = (
        Past(**{**p, "codes": tuple(p["codes"]), "advice": tuple(p["advice"])})
        for p in values["past"]
    )
    return Brief(**{**values, "past": tuple(past)})


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

    submitted = _submitted(state, worker, asked, frozen, domain)  # refuses before a blob is stored
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

    return (*facts, submitted)


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

    if slot.role == "finalizer":
        _check_members(manifest, read_brief(asked.prompt))

    lane = state.lanes.get(slot.lane)
    usual = 1 if slot.role == "finalizer" or lane is None else lane.proposed.units
    units = slot.units or usual
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


def _check_members(manifest: Manifest, brief: Brief) -> None:
    """Refuse a finalizer that trains, or averages anything but the candidates of its brief."""
    offered = {past.attempt for past in brief.past}

    if manifest.train or not manifest.members:
        raise AttemptRefused(
            "a finalizer averages members and trains nothing",
            where="attempt.toml",
            hint="set train = [] and list the accepted candidates in members",
        )

    if strangers := sorted(set(manifest.members) - offered):
        raise AttemptRefused(
            f"{', '.join(strangers)} is no candidate that this finalizer was given",
            where="attempt.toml, members",
            why="only accepted attempts that beat the null models may be averaged",
            hint=f"choose among {', '.join(sorted(offered))}",
        )


def job_ended(
    request: JobRequested, folder: Path, outcome: JobOutcome, domain: Domain, put: PutBlob
) -> Sequence[Fact]:
    """Store what a job left and return its facts; the one that ends the job comes last."""
    log = None if outcome.log is None else put(outcome.log)
    trusted = request.sandbox == "trusted"
    access = () if trusted else _access(outcome, put, domain.access_name(folder.parent.parent))
    used = Resources(
        wall_ms=outcome.wall_ms, cpu_ms=outcome.cpu_ms, max_rss_kib=outcome.max_rss_kib
    )

    if is_loss(request, outcome):
        because = outcome.reason[:_MESSAGE]
        return (JobLost(key=outcome.key, epoch=outcome.epoch, because=because, cause="ended"),)

    if outcome.status != "finished":
        failed = JobFailed(
            key=outcome.key,
            epoch=outcome.epoch,
            reason=outcome.reason[:_MESSAGE],
            log=log,
            assurance=outcome.assurance,
            resources=used,
            code=outcome.code or "DEFECT",
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
        reproduction=reproduction(request, outcome),
        resources=used,
    )
    return (*access, *translated, finished)


def is_loss(request: JobRequested, outcome: JobOutcome) -> bool:
    """Say whether nobody knows what a job would have said.

    Limits have codes of their own: a job that ran into one is told apart from one that was killed.
    """
    return outcome.status == "lost" or (request.kind in _OURS and outcome.code in _SAY_NOTHING)


def reproduction(request: JobRequested, outcome: JobOutcome) -> Reproduction | None:
    """Say what executing a job again is expected to give, by what the record shows it ran on."""
    if request.kind == "probe":
        return "statistical"  # it measures the machine

    if outcome.access.record is None or not outcome.access.complete:
        return None

    used = any(name in outcome.access.record.read_bytes() for name in _ACCELERATORS)
    return "statistical" if used else "bitwise"


def job_broken(request: JobRequested, key: str, reason: str) -> JobFailed:
    """Say that a job came to nothing by a defect of ours; nothing of it was measured."""
    return JobFailed(
        key=key,
        epoch=request.epoch,
        reason=reason[:_MESSAGE],
        log=None,
        assurance="none",
        resources=Resources(wall_ms=0, cpu_ms=0, max_rss_kib=0),
        code="DEFECT",
    )


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


def _access(outcome: JobOutcome, put: PutBlob, name: Callable[[str], str]) -> Sequence[Fact]:
    """Store the access record and return its event, both without real ids of cases."""
    seen = outcome.access
    denied = dict.fromkeys(Denied(op=d.op, path=name(d.path), result=d.result) for d in seen.denied)
    return (
        AccessRecorded(
            key=outcome.key,
            epoch=outcome.epoch,
            record=None if seen.record is None else put(_renamed(seen.record, name)),
            opened=seen.opened,
            denied=tuple(denied)[:50],
            denied_total=seen.denied_total,
            recorder=seen.recorder,
            complete=seen.complete,
        ),
    )


def _renamed(record: Path, name: Callable[[str], str]) -> bytes:
    """Return an access record with every path under the name that may be recorded."""
    lines = []

    for line in record.read_bytes().splitlines(keepends=True):
        told = orjson.loads(line)
        called = name(told["path"])
        same = called == told["path"]
        lines.append(line if same else orjson.dumps({**told, "path": called}) + b"\n")

    return b"".join(lines)
