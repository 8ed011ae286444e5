"""A log that ends inside a batch is told from one that ends between two, at every single event."""

from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest

from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.stored import from_record, to_new
from ledger.store import Ledger
from projections.run import RunState
from runtime import ahead, tail
from runtime.ahead import Lying
from runtime.decide import Context
from runtime.effects import Effects
from runtime.journal import Journal
from runtime.loop import Clock, drive
from runtime.policy import Policy
from tests.runtime.world import (
    PlayedAgent,
    PlayedDomain,
    PlayedExecutor,
    PlayedWorkspace,
    World,
    beginning,
)


class Counting(Journal):
    """Remembers after which event each batch ended."""

    ends: list[int]

    def append(self, facts: Sequence[Fact]) -> None:
        super().append(facts)
        self.ends = [*getattr(self, "ends", []), self.state.seq]


def whole(folder: Path) -> tuple[list[Fact], list[int], Context]:
    """Play a run; return its log, where its batches end, and what it was decided with."""
    folder.mkdir()
    world, agent, blobs = World(), PlayedAgent(), BlobStore(folder / "blobs")
    context = Context(Policy(), PlayedDomain(world), blobs.read)
    effects = Effects(
        run=folder,
        blobs=blobs,
        executor=PlayedExecutor(world),
        agents={"recipe": agent},
        workspace=PlayedWorkspace(folder, agent),
        domain=PlayedDomain(world),
    )

    with Ledger.create(folder / "ledger.db") as ledger:
        journal = Counting(ledger)
        journal.append(beginning(blobs.put))

        async def main() -> None:
            await drive(
                journal,
                context,
                effects.perform,
                reconcile=lambda _: (),
                clock=Clock(anyio.current_time),
                stop=lambda _: False,
            )

        anyio.run(main)
        return [from_record(r) for r in ledger.records()], journal.ends, context


def asked(folder: Path, log: Sequence[Fact], context: Context) -> tuple[str, RunState]:
    """Open a ledger that holds only the beginning of a log; return what is said of its end."""
    folder.mkdir()
    told: list[str] = []

    def look(state: RunState, decided: Sequence[Fact], last: str) -> None:
        says = ahead.cut(last, begun=state.task.split is not None)
        told.append(says or tail.fold(state, decided, context))

    with Ledger.create(folder / "ledger.db") as ledger:
        ledger.append([to_new(fact) for fact in log])
        state = Journal(ledger, tail=look).state

    return told[0], state


def test_every_cut_inside_a_batch_is_told(tmp_path: Path) -> None:
    log, ends, context = whole(tmp_path / "run")

    for n in range(1, len(log) + 1):
        says, _ = asked(tmp_path / str(n), log[:n], context)
        assert bool(says) == (n not in ends), (n, log[n - 1].type, says)


def test_looking_at_the_end_changes_nothing_of_the_fold(tmp_path: Path) -> None:
    log, ends, context = whole(tmp_path / "run")
    until = ends[len(ends) // 2]
    _, state = asked(tmp_path / "again", log[:until], context)
    plain = RunState.of(log[:until])

    assert state.seq == plain.seq
    assert list(state.jobs) == list(plain.jobs)
    assert list(state.workers) == list(plain.workers)
    assert list(state.attempts) == list(plain.attempts)


def signs(run: Path, state: RunState) -> list[str]:
    return list(
        ahead.signs(
            Lying.look(run),
            jobs={job.key for job in state.jobs},
            workers={worker.id for worker in state.workers},
            packaged=False,
        )
    )


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_folder_that_went_further_than_its_ledger_is_told(tmp_path: Path, share: float) -> None:
    log, ends, _ = whole(tmp_path / "run")
    run = tmp_path / "run"
    state = RunState.of(log)
    for job in state.jobs:
        (run / "jobs" / job.key).mkdir(parents=True, exist_ok=True)

    for worker in state.workers:
        (run / "work" / worker.id).mkdir(parents=True, exist_ok=True)

    assert signs(run, state) == []

    until = ends[int(share * len(ends))]
    says = " ".join(signs(run, RunState.of(log[:until])))
    assert "jobs that no event asked for" in says


def test_a_package_that_no_event_speaks_of_is_told(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    assert "a package" in " ".join(signs(tmp_path, RunState()))
