"""The log of a run together with its folded state: the only way the shell appends."""

from collections.abc import Callable, Sequence
from typing import Self

from ledger.events.base import Fact
from ledger.events.stored import from_record, to_new
from ledger.record import Record
from ledger.store import Ledger
from projections.run import RunState
from runtime.decide import DECISIONS

Listener = Callable[[Record, Fact], None]

Tail = Callable[[RunState, Sequence[Fact], Fact | None], None]
"""Folds the decisions after the last outcome into a state; raises where the log is cut short.

It is given the state before them, these decisions, and the last event of all.
"""


class Journal:
    """Appends batches under the head they were decided on, and folds them."""

    def __init__(
        self, ledger: Ledger, listen: Listener | None = None, *, tail: Tail | None = None
    ) -> None:
        """Fold what the ledger already holds.

        Args:
            ledger: Held for writing.
            listen: Told of every event that is appended from here on.
            tail: Folds the last decisions, where these are to be looked at before they count.
        """
        self._ledger = ledger
        self._listen = listen
        self.state = RunState()
        last: Fact | None = None
        decided: list[Fact] = []

        for record in ledger.records():
            last = from_record(record)

            if tail is not None and record.type in DECISIONS:
                decided.append(last)
            else:
                self._fold((*decided, last))
                decided.clear()

        if tail is not None:
            tail(self.state, decided, last)

    @property
    def term(self) -> int:
        """The writer's lease under which this process appends."""
        return self._ledger.term

    def append(self, facts: Sequence[Fact]) -> None:
        """Append one batch atomically and fold it.

        Raises:
            ledger.errors.HeadMoved: somebody else appended since the state was folded.
        """
        new = [to_new(fact) for fact in facts]
        records = self._ledger.append(new, expect_head=self.state.seq)

        for record, fact in zip(records, facts, strict=True):
            self.state.apply(fact)

            if self._listen is not None:
                self._listen(record, fact)

    def _fold(self, facts: Sequence[Fact]) -> None:
        for fact in facts:
            self.state.apply(fact)

    def __enter__(self) -> Self:
        """Return the journal itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the ledger."""
        self._ledger.close()
