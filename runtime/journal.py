"""The log of a run together with its folded state: the only way the shell appends."""

from collections.abc import Callable, Sequence
from typing import Self

from ledger.events.base import Fact
from ledger.events.stored import from_record, to_new
from ledger.record import Record
from ledger.store import Ledger
from projections.run import RunState

Listener = Callable[[Record, Fact], None]


class Journal:
    """Appends batches under the head they were decided on, and folds them."""

    def __init__(self, ledger: Ledger, listen: Listener | None = None) -> None:
        """Fold what the ledger already holds."""
        self._ledger = ledger
        self._listen = listen
        self.state = RunState()

        for record in ledger.records():
            self.state.apply(from_record(record))

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

    def __enter__(self) -> Self:
        """Return the journal itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the ledger."""
        self._ledger.close()
