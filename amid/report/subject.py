"""What a report is about: a run's events, their states and the few blobs a page needs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from amid.documents import CaseScores, Inventory, Profile, Split
from amid.package.private import Private
from amid.profile.kind import profile_part
from amid.tasks.contract import Contract
from ledger.events.data import DataProfiled, InventoryTaken, SplitFrozen, TaskAgreed
from ledger.events.work import PackageBuilt
from ledger.record import Record
from projections.attempts import Attempt
from projections.run import RunState
from replay.history import History

Read = Callable[[str], bytes]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Subject:
    """A run as of its last event. A document is None while it is not recorded or not readable."""

    run: Path
    records: tuple[Record, ...]
    history: History
    state: RunState
    read: Read
    private: Private
    contract: Contract | None
    split: Split | None
    inventory: Inventory | None
    profile: Profile | None

    @classmethod
    def of(cls, run: Path, records: tuple[Record, ...], read: Read, private: Private) -> "Subject":
        """Fold the events and read the documents they name."""
        history = History.of(records)
        facts = [step.fact for step in history.steps]
        agreed, frozen = history.last(TaskAgreed), history.last(SplitFrozen)
        taken, profiled = history.last(InventoryTaken), history.last(DataProfiled)
        contract = _parsed(read, agreed and agreed[1].contract, Contract.from_bytes)
        return cls(
            run=run,
            records=records,
            history=history,
            state=RunState.of(facts),
            read=read,
            private=private,
            contract=contract,
            split=_parsed(read, frozen and frozen[1].split, Split.model_validate_json),
            inventory=_parsed(read, taken and taken[1].inventory, Inventory.model_validate_json),
            profile=_profile(read, contract, profiled and profiled[1].profile),
        )

    @property
    def direction(self) -> str:
        """Return the direction of the primary metric."""
        return self.state.task.task.direction if self.state.task.task else "maximize"

    @property
    def metric(self) -> str:
        """Return the name of the primary metric."""
        return self.state.task.task.metric if self.state.task.task else "score"

    def ranked(self) -> list[Attempt]:
        """Return the measured attempts, best first; ties by id."""
        sign = -1 if self.direction == "maximize" else 1
        scored = [(a, value) for a in self.state.attempts if (value := primary(a)) is not None]
        return [a for a, _ in sorted(scored, key=lambda pair: (sign * pair[1], pair[0].id))]

    def winner(self) -> Attempt | None:
        """Return the packaged attempt, else the best accepted one."""
        built = self.history.last(PackageBuilt)
        if built is not None:
            return self.state.attempts.get(built[1].attempt)

        return next((a for a in self.ranked() if a.standing == "accept"), None)

    def case_scores(self, attempt: Attempt) -> CaseScores | None:
        """Return the per-case validation scores of an attempt."""
        return self.scores_in(attempt.measured.per_case if attempt.measured else None)

    def scores_in(self, digest: str | None) -> CaseScores | None:
        """Return the per-case scores of a blob; None where it is not readable."""
        return _parsed(self.read, digest, CaseScores.model_validate_json)

    def shown(self, text: str) -> str:
        """Return a text of the record, unless it names a person or a place of this machine."""
        return "(withheld: names a person or a place)" if self.private.in_text(text) else text


def _profile(read: Read, contract: Contract | None, digest: str | None) -> Profile | None:
    if contract is None:
        return None

    return _parsed(read, digest, profile_part(contract.task.kind).parse)


def primary(attempt: Attempt) -> float | None:
    """Return an attempt's primary validation score."""
    scores = attempt.measured.scores if attempt.measured else ()
    return float(scores[0].value) if scores and scores[0].value is not None else None


def _parsed(read: Read, digest: str | None, parse: Callable[[bytes], T]) -> T | None:
    if digest is None:
        return None

    try:
        return parse(read(digest))
    except (KeyError, ValueError):
        return None


__all__ = ["Read", "Subject", "primary"]
