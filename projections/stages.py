"""Stages, rounds and planned units.

Reads stage.*, budget.*.
"""

from dataclasses import dataclass, field

from ledger.events.base import Fact
from ledger.events.work import (
    BudgetExhausted,
    BudgetSpent,
    RoundOpened,
    Slot,
    Stage,
    StageEnded,
    StageEntered,
)


@dataclass(slots=True)
class Stages:
    """Where the run stands between its two stages, and what it may still spend."""

    entered: dict[str, StageEntered] = field(default_factory=dict)
    ended: dict[str, StageEnded] = field(default_factory=dict)
    rounds: list[RoundOpened] = field(default_factory=list)
    spent: dict[str, int] = field(default_factory=dict)
    exhausted: BudgetExhausted | None = None
    _by_number: dict[int, RoundOpened] = field(default_factory=dict)
    _slots: dict[str, tuple[RoundOpened, Slot]] = field(default_factory=dict)
    """Worker to the first round and slot that name it."""
    _looks: dict[str, int] = field(default_factory=dict)
    """Worker to the looks that were reserved before its own."""
    _reserved: int = 0
    _turns: dict[str, int] = field(default_factory=dict)
    """Stage to the turns that its rounds gave out."""

    def apply(self, event: Fact) -> None:
        """Take in one event."""
        match event:
            case StageEntered(stage=stage):
                self.entered[stage] = event
            case StageEnded(stage=stage):
                self.ended[stage] = event
            case RoundOpened():
                self._open(event)
            case BudgetSpent(stage=stage, units=units):
                self.spent[stage] = self.spent.get(stage, 0) + units
            case BudgetExhausted():
                self.exhausted = event
            case _:
                pass

    @property
    def now(self) -> Stage | None:
        """The stage that was entered and has not ended."""
        return next((e.stage for s, e in self.entered.items() if s not in self.ended), None)

    def left(self, stage: Stage) -> int:
        """Return the planned units this stage may still book; none after the clock ran out."""
        if stage not in self.entered or (self.exhausted is not None and stage != "finalize"):
            return 0

        return self.entered[stage].units - self.spent.get(stage, 0)

    def attempts_left(self, stage: Stage) -> int | None:
        """Return how many attempts this stage may still hand out; None without a number."""
        most = self.entered[stage].attempts if stage in self.entered else None
        return None if most is None else most - self._turns.get(stage, 0)

    def opened(self, number: int) -> bool:
        """Say whether there is a round of this number."""
        return number in self._by_number

    def round(self, number: int) -> RoundOpened:
        """Return a round by its number."""
        return self._by_number[number]

    def slot_of(self, worker: str) -> tuple[RoundOpened, Slot] | None:
        """Return the round and slot that named a worker."""
        return self._slots.get(worker)

    def look_of(self, worker: str, turn: int) -> int:
        """Return the number of the validation look that a worker's turn reserved.

        A round reserves one look for each turn of each of its slots when it opens, in slot order;
        so the number does not depend on who is ready first, and unused looks are not given back.
        """
        if worker not in self._looks:
            raise KeyError(f"no round names worker {worker}")

        return self._looks[worker] + turn

    def _open(self, event: RoundOpened) -> None:
        self.rounds.append(event)
        self._by_number.setdefault(event.round, event)

        for slot in event.slots:
            self._slots.setdefault(slot.worker, (event, slot))
            self._looks.setdefault(slot.worker, self._reserved)
            self._reserved += slot.turns
            self._turns[event.stage] = self._turns.get(event.stage, 0) + slot.turns
