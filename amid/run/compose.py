"""Wire the ports of a run together: the one place that knows every adapter."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from amid.run.domain import MedicalDomain
from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.run import RunPaused
from ledger.record import Record
from projections.run import RunState
from runtime.policy import Policy
from runtime.ports import Executor

if TYPE_CHECKING:
    from replay.redecide import Redecided
    from replay.reproduce import Answer as Reproduced
    from replay.verify import Answer as Verified
    from runtime.decide import Context
    from runtime.effects import Effects
    from runtime.journal import Journal

Listener = Callable[[Record, Fact], None]
Say = Callable[[str], None]
Until = Literal["profile", "plan", "explore", "promote", "end"]


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """How a run stands when the command ends."""

    outcome: str
    """`package`, `refused`, `stopped`, or `paused` when it can be resumed."""
    because: str
    package: Path | None
    report: Path | None


# --- going on with it -----------------------------------------------------------------------


def go_on(
    run: Path, *, listen: Listener, say: Say, fresh: bool = False, until: Until = "end"
) -> RunAnswer:
    """Go on with a run until it ends, or until a step; then write its report.

    Args:
        run: Its folder.
        listen: Told of every event that is appended.
        say: Told, in words, what a person should know of going on.
        fresh: Whether this process has just made the run.
        until: Where to stop and leave the rest to a later `resume`.

    Raises:
        ledger.errors.WriterBusy: another process holds the run.
        ledger.errors.LedgerBehind: the ledger was cut, or an older copy of it was put back.
    """
    import anyio

    from amid.run.taking import held, take_over

    blobs = BlobStore(run / "blobs")

    with held(run, listen, lambda state: _context(state, blobs)) as (ledger, journal):
        if journal.state.task.finished is None:
            take_over(run, ledger, journal, blobs, fresh=fresh, say=say)
            anyio.run(_drive, run, blobs, journal, until)

        state = journal.state

    return _answer(run, state)


async def _drive(run: Path, blobs: BlobStore, journal: "Journal", until: Until) -> None:
    from runtime.decide import stuck
    from runtime.loop import Clock, drive
    from runtime.recover import reconcile
    from runtime.restore import restore

    context = _context(journal.state, blobs)
    executor = _executor(int(journal.state.task.setting("cores", "1")))

    gone = not (run / "repo.git").exists()
    effects = _effects(run, blobs, executor)

    if gone:
        for worker in journal.state.workers:
            for commit in worker.commits:
                restore(commit, effects.workspace, blobs.read)

    clock = Clock(time.monotonic, time.monotonic() + _seconds_left(journal))
    ended = await drive(
        journal,
        context,
        effects.perform,
        reconcile=lambda left: reconcile(left, run, executor),
        clock=clock,
        stop=_stop(until),
    )

    if not ended:
        because = stuck(journal.state) or f"asked to stop after {until}"
        journal.append((RunPaused(because=because),))


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


def _seconds_left(journal: "Journal") -> float:
    """Return what is left of the wall budget before the finalizer's share.

    Only time in which some process held the run counts, not the time between.
    """
    state = journal.state
    policy = Policy.recorded(state.task)
    cores = int(state.task.setting("cores", "1"))
    wall = 0.0 if state.task.task is None else state.task.task.units / cores
    used = sum(last - first for first, last in journal.past.spans.values()) / 1e6
    return max(0.0, wall * (100 - policy.share_finalize) / 100 - used)


def _stop(until: Until) -> Callable[[RunState], bool]:
    from runtime.decide import stuck

    def reached(state: RunState) -> bool:
        if stuck(state):
            return True

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
    from amid.package.publish import publish
    from runtime.decide import stuck

    ended = state.task.finished
    built = ended is not None and ended.outcome == "package"
    package = publish(run) if built else None
    page = run / "report.html"
    report.write(run, page)
    outcome, because = "paused", "it can be resumed"

    if ended is not None:
        outcome, because = ended.outcome, ended.because
    elif why := stuck(state):
        outcome, because = "undecided", f"{why}; `amid resume {run}` tries it again"

    return RunAnswer(
        outcome=outcome,
        because=because,
        package=package,
        report=page,
    )


# --- looking back ---------------------------------------------------------------------------


def verify(run: Path, *, head: str | None = None) -> "Verified":
    """Check a run, and what lies beside its ledger; changes nothing in the folder."""
    from amid.run import beside
    from replay.verify import verify as check

    return check(
        run, domain=MedicalDomain(BlobStore(run / "blobs")), head=head, beside=beside.check
    )


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
    from runtime.private import documents

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
                at_once=cores,
            )

        return anyio.run(main)


def data(run: Path) -> tuple[str, ...]:
    """Say what the data of a run are, and what is notable about them."""
    from amid.run.status import data as sentences

    return sentences(RunState.of(events(run)))


def status(run: Path) -> dict[str, object]:
    """Say where a run stands, as plain JSON values."""
    from amid.run.status import status as standing

    return standing(RunState.of(events(run)))
