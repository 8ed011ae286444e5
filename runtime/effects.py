"""Carry intents out through the ports and say what came of them."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import anyio.to_thread

from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.job import Input
from ledger.events.stored import fit
from ledger.events.work import SessionRequested
from projections.jobs import Job
from projections.run import RunState
from projections.workers import Worker
from runtime import jobspec, landing, layout, private
from runtime.errors import AgentFailed, Refused, Unexpected
from runtime.intents import Intent, JobIntent
from runtime.ports import (
    Agent,
    Brief,
    Domain,
    Executor,
    Frozen,
    JobOutcome,
    JobSpec,
    OutputFile,
    Reading,
    Turn,
    Workspace,
)
from runtime.restore import restore


@dataclass(frozen=True, slots=True)
class Effects:
    """The ports of one run, wired."""

    run: Path
    blobs: BlobStore
    executor: Executor
    agents: Mapping[str, Agent]
    workspace: Workspace
    domain: Domain
    _views: Lock = field(default_factory=Lock)
    """Two jobs may want the same data view at once; it is laid out by the first."""

    async def perform(self, state: RunState, intent: Intent) -> Sequence[Fact]:
        """Carry out one intent; known failures come back as facts.

        Raises:
            Unexpected: a defect of ours. It holds the facts of a failure, to be appended before it
                is raised again: or a resumed run would meet the same defect at the same place.
            Exception: the machine's (OSError), or one that says by its `exit_code` what a person
                can do. The intent stays open, and a resumed run tries it again.
        """
        try:
            if isinstance(intent, JobIntent):
                facts = await self._job(state, intent.job)
            else:
                facts = await self._session(state, intent.worker)

            return [fit(fact) for fact in facts]
        except Exception as defect:
            if isinstance(defect, OSError) or hasattr(defect, "exit_code"):
                raise

            failed = [fit(fact) for fact in _failed(intent, defect)]
            raise Unexpected(intent.says, failed) from defect

    # --- sessions -------------------------------------------------------------------------

    async def _session(self, state: RunState, worker: Worker) -> Sequence[Fact]:
        asked = worker.session

        if asked is None:
            raise AgentFailed(f"worker {worker.id} has no turn to work on")

        try:
            return await self._turn(state, worker, asked)
        except (Refused, AgentFailed) as problem:
            return (landing.session_failed(asked, str(problem)),)

    async def _turn(
        self, state: RunState, worker: Worker, asked: SessionRequested
    ) -> Sequence[Fact]:
        brief = landing.read_brief(asked.prompt)
        base = _base(state, worker)
        folder = await anyio.to_thread.run_sync(self._open, state, worker.id, base)
        turn = await self.agents[asked.agent].edit(brief, self._reading(state, brief), folder)

        if turn.failed is not None:
            return (landing.session_failed(asked, turn.failed),)

        attempt = landing.attempt_id(worker, asked.turn)
        frozen = await anyio.to_thread.run_sync(self.workspace.freeze, worker.id, attempt)
        return await anyio.to_thread.run_sync(self._handed_in, state, worker, turn, frozen)

    def _open(self, state: RunState, worker: str, base: str | None) -> Path:
        """Open a worktree; what it starts from is made of blobs, whatever repo.git holds."""
        known = None if base is None else state.workers.commit_of(base)

        if known is not None:
            restore(known, self.workspace, self.blobs.read)

        return self.workspace.open(worker, base)

    def _handed_in(
        self, state: RunState, worker: Worker, turn: Turn, frozen: Frozen
    ) -> Sequence[Fact]:
        return landing.handed_in(state, worker, turn, frozen, self.domain, self.blobs.put)

    def _reading(self, state: RunState, brief: Brief) -> Reading:
        task, profile, lane = state.task.task, state.task.profile, state.lanes.get(brief.lane)
        return Reading(
            contract="{}" if task is None else self.blobs.read(task.contract).decode(),
            profile="{}" if profile is None else self.blobs.read(profile.profile).decode(),
            lane="{}" if lane is None else lane.proposed.model_dump_json(),
        )

    # --- jobs -----------------------------------------------------------------------------

    async def _job(self, state: RunState, job: Job) -> Sequence[Fact]:
        folder = self.run / "jobs" / job.key

        if self.executor.recover(folder) != "finished":
            await anyio.to_thread.run_sync(self._lay_out, state, job, folder)

        outcome = await self.executor.run(self._spec(state, job, folder))
        return await anyio.to_thread.run_sync(self._landed, job, folder, outcome)

    def _landed(self, job: Job, folder: Path, outcome: JobOutcome) -> Sequence[Fact]:
        facts = landing.job_ended(job.request, folder, outcome, self.domain, self.blobs.put)

        if landing.is_loss(job.request, outcome):
            (folder / "result.json").unlink(missing_ok=True)  # or the next hand-out finds it

        shutil.rmtree(folder / "in", ignore_errors=True)  # it can be laid out again from blobs
        return facts

    def _lay_out(self, state: RunState, job: Job, folder: Path) -> None:
        shutil.rmtree(folder / "in", ignore_errors=True)

        for given in job.request.inputs:
            if given.kind == "view" and given.name != "null":
                self._lay_out_view(state, given)

        layout.lay_out_inputs(
            job.request,
            folder,
            code=_code(state, job),
            outputs=self.outputs,
            copy=self.blobs.copy_to,
        )

    def _lay_out_view(self, state: RunState, given: Input) -> None:
        view = self.run / jobspec.view_folder(given.name, given.digest)

        with self._views:
            if not view.exists():
                view.parent.mkdir(exist_ok=True)
                documents = private.documents(state)
                self.domain.lay_out_view(self.run, given.name, view, documents=documents)

    def outputs(self, given: Input) -> Sequence[OutputFile]:
        """Return the files behind an input of kind `outputs`."""
        return self.files(given.digest)

    def files(self, digest: str) -> Sequence[OutputFile]:
        """Return the files behind a manifest digest."""
        return layout.read_manifest(self.blobs.read(digest))

    def _spec(self, state: RunState, job: Job, folder: Path) -> JobSpec:
        view = next((i for i in job.request.inputs if i.kind == "view" and i.name != "null"), None)
        where = None if view is None else self.run / jobspec.view_folder(view.name, view.digest)
        return jobspec.spec(
            job.request,
            key=job.key,
            folder=folder,
            reads=() if where is None else (where,),
            roots=self._roots(where),
            data=None if view is None else jobspec.view_from_job(view.name, view.digest),
            private=private.private(state, job, self.run, self.files),
        )

    def _roots(self, view: Path | None) -> Mapping[str, Path]:
        roots = {name: self.run / name for name in ("vault", "blobs", "jobs")}
        named = roots | {"run": self.run} | dict(self.domain.roots(self.run))
        return named if view is None else named | {"view": view}


def _failed(intent: Intent, defect: Exception) -> Sequence[Fact]:
    reason = f"unexpected: {type(defect).__name__}: {defect}"

    if isinstance(intent, JobIntent):
        return (landing.job_broken(intent.job.request, intent.job.key, reason),)

    asked = intent.worker.session
    return () if asked is None else (landing.session_failed(asked, reason),)


def _base(state: RunState, worker: Worker) -> str | None:
    """Return the commit a turn starts from: the worker's own last, else that of its base."""
    if worker.commits:
        return worker.commits[-1].commit

    found = state.stages.slot_of(worker.id)
    base = None if found is None or found[1].base is None else state.attempts.get(found[1].base)
    return None if base is None else base.submitted.commit


def _code(state: RunState, job: Job) -> Mapping[str, str]:
    """Return the files of the commit a job runs."""
    attempt = state.attempts.get(job.request.subject)
    commit = None if attempt is None else state.workers.commit_of(attempt.submitted.commit)
    wanted = any(i.kind == "code" for i in job.request.inputs)
    return {f.path: f.digest for f in commit.files} if wanted and commit is not None else {}


__all__ = ["Effects"]
