"""What the events of a run come to, folded while its ledger is opened and as it goes on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ledger.blobfsck import Named
from ledger.events.base import Fact, blobs_of
from ledger.events.stored import from_record
from ledger.record import Record, Since
from projections.run import RunState
from runtime.decide import DECISIONS

Tail = Callable[[RunState, Sequence[Fact], str], None]
"""Folds the decisions after the last outcome into a state; raises where the log is cut short.

It is given the state before them, these decisions, and the type of the last event of all.
"""


@dataclass(slots=True)
class Past:
    """The fold of a run, with what else its events are read for."""

    since: Since | None = None
    """Up to where it was folded before, by another process; None: from the first event on."""
    state: RunState = field(default_factory=RunState)
    named: Named = field(default_factory=Named)
    """The blobs that events name."""
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Term to the times of its first and last event, in microseconds."""
    last: str = ""
    """Type of the last event."""
    decided: list[Fact] = field(default_factory=list)
    """Decisions since the last outcome, which `settle` takes in."""

    def restart(self) -> None:
        """Forget everything: it was folded from another ledger than the one that is there."""
        self.since, self.state, self.named = None, RunState(), Named()
        self.spans, self.last, self.decided = {}, "", []

    def take(self, record: Record) -> None:
        """Take in the next stored record.

        Raises:
            ledger.errors.LedgerError: this program does not know it, or it is not what it must be.
        """
        fact = from_record(record)

        if record.type in DECISIONS:
            self.decided.append(fact)
        else:
            self.settle()
            self.state.apply(fact)

        self.note(record, fact)

    def note(self, record: Record, fact: Fact) -> None:
        """Take in everything about an event but what the state holds of it."""
        for digest, kind in blobs_of(fact):
            self.named.add(digest, kind, record.seq)

        first, _ = self.spans.get(record.term, (record.at_us, 0))
        self.spans[record.term] = first, record.at_us
        self.last = record.type

    def settle(self, tail: Tail | None = None) -> None:
        """Fold the decisions that wait, after a look at them where one is asked for."""
        decided, self.decided = self.decided, []

        if tail is not None:
            tail(self.state, decided, self.last)
            return

        for fact in decided:
            self.state.apply(fact)


__all__ = ["Past", "Tail"]
