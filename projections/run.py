"""The state of a whole run: one fold of its events into all the others."""

from collections.abc import Iterable
from typing import Any, Self

from ledger.events.base import Fact
from ledger.events.work import RoundOpened, WorkerRetired
from projections.attempts import Attempts
from projections.entries import Entries
from projections.jobs import Jobs
from projections.lanes import Lanes
from projections.stages import Stages
from projections.task import TaskState
from projections.workers import Worker, Workers


class RunState:
    """Everything deciders read. `apply` is the only way to change it."""

    def __init__(self) -> None:
        """Start before the first event."""
        self.seq = 0
        self.task = TaskState()
        self.lanes = Lanes()
        self.stages = Stages()
        self.workers = Workers()
        self.attempts = Attempts()
        self.jobs = Jobs()
        self._open_rounds: dict[int, RoundOpened] = {}

    def apply(self, event: Fact) -> None:
        """Take in the next event of the log."""
        self.seq += 1

        for part in (
            self.task,
            self.lanes,
            self.stages,
            self.workers,
            self.attempts,
            self.jobs,
        ):
            part.apply(event)

        self._note_rounds(event)

    @classmethod
    def of(cls, events: Iterable[Fact]) -> Self:
        """Fold events, in log order, from the beginning."""
        state = cls()

        for event in events:
            state.apply(event)

        return state

    def entries(self) -> tuple[Entries[Any], ...]:
        """Return all that grows with the run: lanes, workers, attempts and jobs."""
        return (
            self.lanes.entries,
            self.workers.entries,
            self.attempts.entries,
            self.jobs.entries,
        )

    def round_workers(self, number: int) -> tuple[Worker | None, ...]:
        """Return the workers of a round in slot order; None for one not spawned yet."""
        return tuple(self.workers.get(slot.worker) for slot in self.stages.round(number).slots)

    def round_closed(self, number: int) -> bool:
        """Say whether every worker of a round is retired."""
        return number not in self._open_rounds and self.stages.opened(number)

    def open_rounds(self) -> tuple[RoundOpened, ...]:
        """Return the rounds with a worker that is not retired, in the order they were opened."""
        return tuple(self._open_rounds.values())

    def _note_rounds(self, event: Fact) -> None:
        """Keep which rounds are open."""
        if isinstance(event, RoundOpened):
            self._open_rounds[event.round] = event
            self._close(event)
        elif isinstance(event, WorkerRetired):
            found = self.stages.slot_of(event.worker)

            if found is not None:
                self._close(found[0])

    def _close(self, opened: RoundOpened) -> None:
        if all(w is not None and w.retired for w in self.round_workers(opened.round)):
            self._open_rounds.pop(opened.round, None)
