"""Executes recorded train and predict jobs again, elsewhere, and compares every byte they leave.

Nothing is adopted: the job folders are new, a predict job gets the model that was trained anew, and
an average gets predictions that were made anew. Only code and data come from the record.

Time is no part of what is compared. A training ends early only at the checkpoint that the record
names; one that ran to its end runs to its end. The limits on time are generous, and a job that
reaches them is undecided: this machine is too slow to tell.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import anyio

from ledger.blobs import BlobStore
from ledger.errors import LedgerError
from ledger.events.job import Input, JobRequested, Limits
from ledger.reader import read
from replay import order
from replay.history import History, Job
from runtime.errors import RunExists
from runtime.jobspec import spec, view_folder, view_from_job
from runtime.layout import lay_out_inputs, read_manifest
from runtime.ports import Executor, JobOutcome, OutputFile

SCHEMA = "reproduce/1"
PATIENCE = 20
"""How many times its recorded wall limit a job may take when it is executed again."""
LEAST_PATIENCE_S = 3600
TOO_SLOW = frozenset({"WALL_LIMIT", "CPU_LIMIT"})
"""Ends that say nothing about the record, only about this machine."""

LayOut = Callable[[str, Path], None]
"""Lays the named data view out in a new folder."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One output file that came out otherwise."""

    job: str
    """`<kind> <attempt> <fold>`."""
    path: str
    what: Literal["differs", "missing", "added"]
    recorded_bytes: int | None
    found_bytes: int | None

    @property
    def says(self) -> str:
        """Return the difference as a line for people."""
        return (
            f"{self.job}: {self.path} {self.what} ({self.recorded_bytes} -> {self.found_bytes} B)"
        )


@dataclass(frozen=True, slots=True)
class Done:
    """One job that was executed again."""

    job: str
    key: str
    files: int
    identical: bool
    recorded_class: str
    """What the run recorded: `bitwise`, `bitwise-predict`, `statistical` or `not recorded`."""
    cpu_ms: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What executing again gave."""

    as_of: int
    seed: int | None
    """The seed used instead of the recorded ones; None for a true reproduction."""
    jobs: tuple[Done, ...]
    differences: tuple[Difference, ...]
    failures: tuple[str, ...]
    """Jobs that failed or could not be laid out."""
    undecided: tuple[str, ...] = ()
    """Jobs that took too long here, and those that wanted their outputs."""

    @property
    def ok(self) -> bool:
        """Say whether at least one job ran and every file came out the same."""
        return bool(self.jobs) and not self.problems and not self.undecided

    @property
    def verdict(self) -> Literal["yes", "no", "undecided"]:
        """Return the answer in one word: a difference outweighs what was not seen."""
        if self.undecided and not self.problems:
            return "undecided"

        return "yes" if self.ok else "no"

    @property
    def problems(self) -> tuple[str, ...]:
        """Return every failure and every difference as a line for people."""
        return (*self.failures, *(difference.says for difference in self.differences))

    @property
    def says(self) -> str:
        """Return the answer in one line."""
        same = sum(job.identical for job in self.jobs)
        files = sum(job.files for job in self.jobs)
        return (
            f"{self.verdict}: {same} of {len(self.jobs)} jobs gave the same bytes "
            f"again ({files} files, {self.cpu_ms / 1000:.1f} s of processor time); "
            f"{len(self.differences)} files differ, {len(self.failures)} jobs failed, "
            f"{len(self.undecided)} undecided"
            f"{'' if self.seed is None else f'; {self.note}'}"
        )

    @property
    def note(self) -> str:
        """Return what another seed than the recorded one showed; empty without one."""
        if self.seed is None:
            return ""

        seen = f"with seed {self.seed} instead of the recorded ones"
        if self.differences:
            return f"{seen} {len(self.differences)} files came out otherwise"

        return f"{seen} nothing changed: the executed code draws nothing from its seed"

    @property
    def cpu_ms(self) -> int:
        """Return the processor time that was spent."""
        return sum(job.cpu_ms for job in self.jobs)

    def to_json(self) -> dict[str, object]:
        """Return the answer for `--json`."""
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "as_of": self.as_of,
            "seed": self.seed,
            "note": self.note,
            "cpu_seconds": round(self.cpu_ms / 1000, 3),
            "files": sum(job.files for job in self.jobs),
            "jobs": [asdict(job) for job in self.jobs],
            "differences": [asdict(difference) for difference in self.differences],
            "problems": list(self.failures),
            "undecided": list(self.undecided),
        }


@dataclass(slots=True)
class _Redo:
    """What is known while jobs are executed again."""

    history: History
    blobs: BlobStore
    executor: Executor
    lay_out: LayOut
    work: Path
    seed: int | None
    made: dict[str, tuple[OutputFile, ...]] = field(default_factory=dict)
    """Key of the recorded job to what it left this time."""
    done: dict[str, Done] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    undecided: dict[str, str] = field(default_factory=dict)
    """Key of the recorded job to why nothing can be said of it."""


async def reproduce(
    run: Path,
    attempts: Sequence[str] | Literal["all"],
    *,
    executor: Executor,
    lay_out: LayOut,
    work: Path,
    seed: int | None = None,
    at_once: int = 1,
) -> Answer:
    """Execute the recorded jobs of attempts again in the new or empty folder `work`.

    The jobs of members that an attempt averages are executed too. With `seed` every job gets that
    seed instead of the recorded one: a control, which shows that differences would be seen.

    Raises:
        RunExists: something lies in `work` already.
        Needed: an attempt is not in the run.
        ledger.errors.LedgerError: `ledger.db` cannot be read.
    """
    _refuse_used(work)
    with read(run / "ledger.db") as reader:
        history = History.of(reader.records())

    blobs = BlobStore(run / "blobs")
    # jobs run in folders of their own, and the sandbox is told absolute paths
    redo = _Redo(history, blobs, executor, lay_out, _absolute(work), seed)
    for wave in order.waves(history, order.wanted(history, attempts)):
        _lay_out_views(redo, wave)
        limit = anyio.CapacityLimiter(at_once)
        async with anyio.create_task_group() as tasks:
            for job in wave:
                tasks.start_soon(_again, redo, job, limit)

    recorded = list(history.jobs)
    return Answer(
        as_of=history.head,
        seed=seed,
        jobs=tuple(redo.done[key] for key in recorded if key in redo.done),
        differences=tuple(sorted(redo.differences, key=lambda x: (x.job, x.path))),
        failures=tuple(sorted(redo.failures)),
        undecided=tuple(sorted(redo.undecided.values())),
    )


def _absolute(path: Path) -> Path:
    return path.absolute()


def _refuse_used(work: Path) -> None:
    if work.exists() and any(work.iterdir()):
        raise RunExists(
            "the folder to work in is not empty",
            where=work,
            why="a job folder that is there already would be adopted instead of executed",
            hint="name a new folder",
        )


def _lay_out_views(redo: _Redo, wave: Sequence[Job]) -> None:
    views = {(given.name, given.digest) for job in wave for given in _views(job.request)}
    for name, digest in sorted(views):
        folder = redo.work / view_folder(name, digest)
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            redo.lay_out(name, folder)


async def _again(redo: _Redo, job: Job, limit: anyio.CapacityLimiter) -> None:
    """Execute one job again and compare what it left."""
    name = _name(job)
    recorded = job.finished
    if recorded is None:
        return

    waits = [s for _, s in redo.history.needed_by(job) if s.key in redo.undecided]
    if waits:
        redo.undecided[job.key] = f"{name}: reads {_name(waits[0])}, which is undecided"
        return

    async with limit:
        try:
            expected = read_manifest(redo.blobs.read(recorded.outputs))
            folder = _lay_out(redo, job)
            outcome = await _execute(redo, job, folder)
        except (LedgerError, ValueError, KeyError) as problem:
            redo.failures.append(f"{name}: cannot be laid out: {problem}")
            return

    if outcome.code in TOO_SLOW:
        redo.undecided[job.key] = f"{name}: too slow here: {outcome.reason}"
        return

    if outcome.status != "finished":
        redo.failures.append(f"{name}: {outcome.status}: {outcome.reason}")
        return

    differences = compare(name, expected, outcome.outputs)
    redo.made[job.key] = outcome.outputs
    redo.differences += differences
    redo.done[job.key] = Done(
        job=name,
        key=job.key,
        files=len(outcome.outputs),
        identical=not differences,
        recorded_class=recorded.reproduction or "not recorded",
        cpu_ms=outcome.cpu_ms,
    )


def _lay_out(redo: _Redo, job: Job) -> Path:
    """Lay the inputs out from code blobs and from what was made this time."""
    folder = redo.work / "jobs" / job.key
    sources = {given.name: source for given, source in redo.history.needed_by(job)}
    places: dict[str, Path] = {}
    for source in sources.values():
        for file in redo.made[source.key]:
            places[file.digest] = redo.work / "jobs" / source.key / "out" / file.path

    def outputs(given: Input) -> Sequence[OutputFile]:
        return redo.made[sources[given.name].key]

    def copy(digest: str, target: Path) -> None:
        if digest in places:
            target.write_bytes(places[digest].read_bytes())
        else:
            redo.blobs.copy_to(digest, target)

    lay_out_inputs(job.request, folder, code=_code(redo, job), outputs=outputs, copy=copy)
    return folder


def _code(redo: _Redo, job: Job) -> Mapping[str, str]:
    names = [given.name for given in job.request.inputs if given.kind == "code"]
    frozen = redo.history.code_of(names[0]) if names else None
    if names and frozen is None:
        raise ValueError(f"the frozen commit of {names[0]} is not in the ledger")

    return {file.path: file.digest for file in frozen.files} if frozen else {}


async def _execute(redo: _Redo, job: Job, folder: Path) -> JobOutcome:
    request = job.request
    if redo.seed is not None:
        request = request.model_copy(update={"seed": redo.seed})

    views = _views(request)
    view = redo.work / view_folder(views[0].name, views[0].digest) if views else None
    return await redo.executor.run(
        spec(
            request,
            key=job.key,
            folder=folder,
            reads=(view,) if view else (),
            roots={"view": view} if view else {},
            data=view_from_job(views[0].name, views[0].digest) if views else None,
            stop_at=job.finished.stopped_at if job.finished else None,
            patience_s=patience_s(request.limits),
        )
    )


def patience_s(limits: Limits) -> int:
    """Return the seconds a job may take when it is executed again."""
    return max(LEAST_PATIENCE_S, PATIENCE * limits.wall_s)


def _views(request: JobRequested) -> list[Input]:
    return [given for given in request.inputs if given.kind == "view"]


def compare(
    name: str, recorded: Sequence[OutputFile], found: Sequence[OutputFile]
) -> list[Difference]:
    """Return every file in which two output folders differ, by path."""
    before = {file.path: file for file in recorded}
    now = {file.path: file for file in found}
    rows = []
    for path in sorted(before.keys() | now.keys()):
        old, new = before.get(path), now.get(path)
        if old is None and new is not None:
            rows.append(Difference(name, path, "added", None, new.bytes))
        elif new is None and old is not None:
            rows.append(Difference(name, path, "missing", old.bytes, None))
        elif old is not None and new is not None and old.digest != new.digest:
            rows.append(Difference(name, path, "differs", old.bytes, new.bytes))

    return rows


def _name(job: Job) -> str:
    return f"{job.request.kind} {job.request.subject} {job.request.fold}"


__all__ = ["SCHEMA", "Answer", "Difference", "Done", "LayOut", "compare", "patience_s", "reproduce"]
