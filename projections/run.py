"""The state of a whole run: one fold of its events into all the others."""

from collections.abc import Iterable
from typing import Self

from ledger.events.base import Fact
from projections.attempts import Attempts
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

    @classmethod
    def of(cls, events: Iterable[Fact]) -> Self:
        """Fold events, in log order, from the beginning."""
        state = cls()

        for event in events:
            state.apply(event)

        return state

    def round_workers(self, number: int) -> tuple[Worker | None, ...]:
        """Return the workers of a round in slot order; None for one not spawned yet."""
        opened = next(r for r in self.stages.rounds if r.round == number)
        return tuple(self.workers.get(slot.worker) for slot in opened.slots)

    def round_closed(self, number: int) -> bool:
        """Say whether every worker of a round is retired."""
        return all(w is not None and w.retired for w in self.round_workers(number))
