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

    def apply(self, event: Fact) -> None:
        """Take in one event."""
        match event:
            case StageEntered(stage=stage):
                self.entered[stage] = event
            case StageEnded(stage=stage):
                self.ended[stage] = event
            case RoundOpened():
                self.rounds.append(event)
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

        if most is None:
            return None

        return most - sum(slot.turns for r in self.rounds if r.stage == stage for slot in r.slots)

    def slot_of(self, worker: str) -> tuple[RoundOpened, Slot] | None:
        """Return the round and slot that named a worker."""
        return next(((r, s) for r in self.rounds for s in r.slots if s.worker == worker), None)

    def look_of(self, worker: str, turn: int) -> int:
        """Return the number of the validation look that a worker's turn reserved.

        A round reserves one look for each turn of each of its slots when it opens, in slot order;
        so the number does not depend on who is ready first, and unused looks are not given back.
        """
        n = 0

        for opened in self.rounds:
            for slot in opened.slots:
                if slot.worker == worker:
                    return n + turn

                n += slot.turns

        raise KeyError(f"no round names worker {worker}")
