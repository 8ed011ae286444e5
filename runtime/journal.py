"""The log of a run together with its folded state: the only way the shell appends."""

from collections.abc import Callable, Sequence
from typing import Self

from ledger.events.base import Fact
from ledger.events.stored import to_new
from ledger.record import Record
from ledger.store import Ledger
from projections.run import RunState
from runtime.past import Past, Tail

Listener = Callable[[Record, Fact], None]


class Journal:
    """Appends batches under the head they were decided on, and folds them."""

    def __init__(
        self,
        ledger: Ledger,
        listen: Listener | None = None,
        *,
        past: Past | None = None,
        tail: Tail | None = None,
    ) -> None:
        """Take over what the ledger already holds.

        Args:
            ledger: Held for writing.
            listen: Told of every event that is appended from here on.
            past: What was folded as the ledger was opened; None folds it here.
            tail: Folds the last decisions, where these are to be looked at before they count.
        """
        self._ledger = ledger
        self._listen = listen
        self.past = Past() if past is None else past

        for record in ledger.records() if past is None else ():
            self.past.take(record)

        self.past.settle(tail)

    @property
    def state(self) -> RunState:
        """The state of the run."""
        return self.past.state

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
            self.past.note(record, fact)

            if self._listen is not None:
                self._listen(record, fact)

    def __enter__(self) -> Self:
        """Return the journal itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the ledger."""
        self._ledger.close()
