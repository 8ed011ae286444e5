"""Wire the ports of a run together: the one place that knows every adapter."""

import os
import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from amid.domain import MedicalDomain
from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.run import (
    RunPaused,
    RunResumed,
    RunStarted,
    SeedDrawn,
    Setting,
    WriterAcquired,
)
from ledger.record import Record
from ledger.store import Ledger
from projections.run import RunState
from runtime.errors import RunExists
from runtime.policy import Policy
from runtime.ports import Executor

if TYPE_CHECKING:
    from replay.redecide import Redecided
    from replay.reproduce import Answer as Reproduced
    from runtime.decide import Context
    from runtime.effects import Effects
    from runtime.journal import Journal

Listener = Callable[[Record, Fact], None]
Until = Literal["profile", "plan", "explore", "promote", "end"]


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """How a run stands when the command ends."""

    outcome: str
    """`package`, `refused`, `stopped`, or `paused` when it can be resumed."""
    because: str
    package: Path | None
    report: Path | None


# --- making a run ---------------------------------------------------------------------------


def create_run(
    task: Path,
    run: Path,
    *,
    data: Path | None,
    seed: int | None,
    budget: str | None,
    agents: str,
    sandbox: str,
    cores: int | None,
) -> None:
    """Make the run folder with its first events, all or nothing.

    Every bad input is an error here, before any job; nothing half-made is left behind.

    Raises:
        runtime.errors.RunExists: something already lies at the run's path.
        amid.errors.AmidError: the task, its data or an option cannot be used.
    """
    if run.exists():
        raise RunExists(
            f"{run} exists already",
            where=run,
            why="a run is never written over",
            hint="choose another folder with -o, or go on with it by `amid resume`",
        )

    from amid import environment
    from amid.errors import from_os_error
    from amid.tasks.contract import seconds

    start = _Start(
        task=task,
        data=data,
        seed=seed,
        wall=None if budget is None else seconds(budget),
        cores=cores or environment.usable_cores(),
    )
    settings = _settings(_policy(agents, sandbox), start, cores=cores, budget=budget)
    making = run.absolute().parent / f".{run.name}.making"

    try:
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        _first_events(start, making, settings)
        making.rename(run)
    except OSError as error:
        raise from_os_error(error, doing="making the run", place=making) from error
    finally:
        shutil.rmtree(making, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Start:
    """What a run is made from."""

    task: Path
    data: Path | None
    seed: int | None
    wall: int | None
    cores: int


def _first_events(start: _Start, making: Path, settings: tuple[Setting, ...]) -> None:
    from amid import environment
    from amid.prepare import prepare
    from runtime.adapters.sandbox.probe import available_sandboxes
    from runtime.journal import Journal

    blobs = BlobStore(making / "blobs")
    seed = secrets.randbelow(2**31) if start.seed is None else start.seed
    prepared = prepare(
        start.task,
        start.data,
        making,
        seed,
        blobs.put,
        cores=start.cores,
        wall=start.wall,
    )
    facts = sorted(prepared.facts, key=lambda fact: fact.type == "split.frozen")
    started = RunStarted(
        run=secrets.token_hex(16),
        task=blobs.put(start.task / "task.toml"),
        settings=settings,
        code=environment.code(blobs.put),
    )
    drawn = SeedDrawn(seed=seed, origin="drawn" if start.seed is None else "option")
    captured = environment.capture(blobs.put, cores=start.cores, sandboxes=available_sandboxes())
    ledger = Ledger.create(making / "ledger.db")

    with Journal(ledger) as journal:
        ledger.acquire()
        journal.append((started, drawn, captured, _acquired(journal.term), *facts))


def _policy(agents: str, sandbox: str) -> Policy:
    from amid.errors import ContractWrong

    name, _, count = agents.partition("=")

    if name != "recipe" or not (count or "1").isdigit() or int(count or 1) < 1:
        raise ContractWrong(
            f"--agents {agents!r} is not understood",
            where="--agents",
            why="every worker needs a backend that this version has",
            do="write recipe=N, with N the number of workers in a round",
        )

    kind: Literal["none", "landlock"] = "none" if sandbox == "none" else "landlock"
    return replace(Policy(), workers=int(count or 1), sandbox=kind)


def _settings(
    policy: Policy, start: _Start, *, cores: int | None, budget: str | None
) -> tuple[Setting, ...]:
    default = Policy().to_settings()
    rows: dict[str, tuple[str, Literal["default", "task", "option"]]] = {
        name: (value, "default" if value == default[name] else "option")
        for name, value in policy.to_settings().items()
    }
    rows["cores"] = (str(start.cores), "default" if cores is None else "option")
    rows["budget"] = (budget or "as in task.toml", "task" if budget is None else "option")
    return tuple(
        Setting(name=name, value=value, origin=origin)
        for name, (value, origin) in sorted(rows.items())
    )


def _acquired(term: int) -> WriterAcquired:
    from runtime.adapters.system import boot_id, process_start

    pid = os.getpid()
    return WriterAcquired(term=term, pid=pid, started=process_start(pid), boot=boot_id())


# --- going on with it -----------------------------------------------------------------------


def go_on(run: Path, *, listen: Listener, fresh: bool = False, until: Until = "end") -> RunAnswer:
    """Go on with a run until it ends, or until a step; then write its report.

    Args:
        run: Its folder.
        listen: Told of every event that is appended.
        fresh: Whether this process has just made the run.
        until: Where to stop and leave the rest to a later `resume`.

    Raises:
        ledger.errors.WriterBusy: another process holds the run.
    """
    import anyio

    from runtime.journal import Journal

    blobs = BlobStore(run / "blobs")
    ledger = Ledger.open(run / "ledger.db")

    with Journal(ledger, listen) as journal:
        if journal.state.task.finished is None:
            _take_over(ledger, journal, blobs, fresh=fresh)
            anyio.run(_drive, run, blobs, ledger, journal, until)

        state = journal.state

    return _answer(run, state)


def _take_over(ledger: Ledger, journal: "Journal", blobs: BlobStore, *, fresh: bool) -> None:
    """Say who writes from here on."""
    from amid import environment

    after = journal.state.seq
    ledger.acquire()
    _tidy(ledger, blobs)
    facts: list[Fact] = [_acquired(journal.term)]

    if not fresh:
        facts.append(RunResumed(after_seq=after, code=environment.code(blobs.put)))

    journal.append(facts)


def _tidy(ledger: Ledger, blobs: BlobStore) -> None:
    """Drop what a crash left in the blob store: half-written files, and blobs no event names."""
    from ledger.blobfsck import unnamed
    from ledger.events.references import references

    blobs.sweep()

    for digest in unnamed(blobs, ledger.records(), references):
        blobs.discard(digest)


async def _drive(
    run: Path, blobs: BlobStore, ledger: Ledger, journal: "Journal", until: Until
) -> None:
    from runtime.loop import Clock, drive
    from runtime.recover import reconcile

    context = _context(journal.state, blobs)
    executor = _executor(int(journal.state.task.setting("cores", "1")))

    effects = _effects(run, blobs, executor)
    clock = Clock(time.monotonic, time.monotonic() + _seconds_left(ledger, journal))
    ended = await drive(
        journal,
        context,
        effects.perform,
        reconcile=lambda state: reconcile(state, run, executor),
        clock=clock,
        stop=_stop(until),
    )

    if not ended:
        journal.append((RunPaused(because=f"asked to stop after {until}"),))


def _context(state: RunState, blobs: BlobStore) -> "Context":
    from runtime.decide import Context

    return Context(Policy.recorded(state.task), MedicalDomain(blobs), blobs.read)


def _executor(cores: int) -> Executor:
    from runtime.adapters.executors.local import LocalExecutor

    return LocalExecutor(cores)


def _effects(run: Path, blobs: BlobStore, executor: Executor) -> "Effects":
    from amid.agents.recipe import RecipeAgent
    from runtime.adapters.git import GitWorkspace
    from runtime.effects import Effects

    recipe = RecipeAgent()
    return Effects(
        run=run.absolute(),
        blobs=blobs,
        executor=executor,
        agents={recipe.name: recipe},
        workspace=GitWorkspace(run.absolute()),
        domain=MedicalDomain(blobs),
    )


def _seconds_left(ledger: Ledger, journal: "Journal") -> float:
    """Return what is left of the wall budget before the finalizer's share.

    Only time in which some process held the run counts, not the time between.
    """
    state = journal.state
    policy = Policy.recorded(state.task)
    cores = int(state.task.setting("cores", "1"))
    wall = 0.0 if state.task.task is None else state.task.task.units / cores
    first: dict[int, int] = {}
    last: dict[int, int] = {}

    for record in ledger.records():
        first.setdefault(record.term, record.at_us)
        last[record.term] = record.at_us

    used = sum(last[term] - first[term] for term in first) / 1e6
    return max(0.0, wall * (100 - policy.share_finalize) / 100 - used)


def _stop(until: Until) -> Callable[[RunState], bool]:
    def reached(state: RunState) -> bool:
        match until:
            case "profile":
                return state.task.profile is not None
            case "plan":
                return bool(state.stages.entered)
            case "explore":
                return "explore" in state.stages.ended
            case "promote":
                return any(x.promoted or x.refused for x in state.lanes)
            case "end":
                return False

    return reached


def _answer(run: Path, state: RunState) -> RunAnswer:
    from amid import report

    page = run / "report.html"
    report.write(run, page)
    ended = state.task.finished
    built = state.task.package is not None
    return RunAnswer(
        outcome="paused" if ended is None else ended.outcome,
        because="it can be resumed" if ended is None else ended.because,
        package=run / "package" if built else None,
        report=page,
    )


# --- looking back ---------------------------------------------------------------------------


def domain() -> MedicalDomain:
    """Return the domain's pure part, for whoever rules again over recorded findings."""
    return MedicalDomain(BlobStore(Path("blobs")))


def events(run: Path) -> list[Fact]:
    """Return the whole log of a run as current events; changes nothing in the folder."""
    from ledger.events.stored import from_record
    from ledger.reader import read

    with read(run / "ledger.db") as reader:
        return [from_record(r) for r in reader.records()]


def redecide(run: Path) -> "Redecided":
    """Put the recorded outcomes through today's deciders."""
    from replay.redecide import redecide as decide_again

    log = events(run)
    state = RunState.of(log)
    return decide_again(log, _context(state, BlobStore(run / "blobs")))


def reproduce(
    run: Path,
    which: str,
    *,
    data: Path | None,
    seed: int | None,
    into: Path | None,
    say: Callable[[str], None],
) -> "Reproduced":
    """Execute recorded attempts again in an empty folder and compare every byte."""
    import tempfile

    import anyio

    from replay.reproduce import reproduce as execute_again
    from runtime.landing import documents

    say(f"executing {which} again; nothing in {run} is changed")
    state = RunState.of(events(run))
    blobs = BlobStore(run / "blobs")
    cores = int(state.task.setting("cores", "1"))

    def lay_out(view: str, place: Path) -> None:
        domain = MedicalDomain(blobs, data=data)
        domain.lay_out_view(run, view, place, documents=documents(state))

    with tempfile.TemporaryDirectory(prefix="amid-reproduce-") as scratch:
        work = into or Path(scratch)

        async def main() -> "Reproduced":
            return await execute_again(
                run,
                which if which == "all" else [which],
                executor=_executor(cores),
                lay_out=lay_out,
                work=work,
                seed=seed,
            )

        return anyio.run(main)


def status(run: Path) -> dict[str, object]:
    """Say where a run stands, as plain JSON values."""
    from amid.status import status as standing

    return standing(RunState.of(events(run)))
