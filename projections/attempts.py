"""Attempts: what was handed in, what the reviewer found and how it was ruled.

Reads attempt.*, review.*. Whatever deciders ask for is kept by the fold, so that no question costs
more in a long run than in a short one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ledger.events.base import Fact
from ledger.events.review import (
    CheckFound,
    FeedbackReleased,
    ReviewMeasured,
    ReviewRequested,
    ReviewResolved,
    VerdictGiven,
)
from ledger.events.work import AttemptExecuted, AttemptSubmitted, AttemptVoided
from projections.entries import Entries

Standing = Literal["accept", "flag", "reject", "failed", "void", "open"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt and everything said about it."""

    submitted: AttemptSubmitted
    executed: AttemptExecuted | None = None
    review_requested: bool = False
    findings: tuple[CheckFound, ...] = ()
    measured: ReviewMeasured | None = None
    verdict: VerdictGiven | None = None
    feedback: FeedbackReleased | None = None
    resolved: ReviewResolved | None = None
    voided: bool = False

    @property
    def id(self) -> str:
        """The attempt's id."""
        return self.submitted.attempt

    @property
    def standing(self) -> Standing:
        """How the attempt stands now: a person's word outranks a flag, a void outranks all."""
        if self.voided:
            return "void"

        if self.executed is not None and self.executed.outcome == "failed":
            return "failed"

        if self.verdict is None:
            return "open"

        if self.verdict.verdict == "flag" and self.resolved is not None:
            return self.resolved.decision

        return self.verdict.verdict


class Attempts:
    """All attempts of a run."""

    def __init__(self) -> None:
        """Start with no attempts."""
        self._by_id = Entries[Attempt]()
        self._number: dict[str, int] = {}
        """Attempt to its place in the order in which they were handed in."""
        self._of_worker: dict[str, list[str]] = {}
        self._of_lane: dict[str, list[str]] = {}
        self._under_review: set[str] = set()
        """Executed to the end, and without a verdict."""
        self._accepted: set[str] = set()

    def apply(self, event: Fact) -> None:
        """Take in one event."""
        match event:
            case AttemptSubmitted():
                self._submit(event)
            case AttemptExecuted(attempt=name):
                self._put(name, executed=event)
            case AttemptVoided(attempt=name):
                self._put(name, voided=True)
            case ReviewRequested(attempt=name):
                self._put(name, review_requested=True)
            case CheckFound(attempt=name) if name in self._by_id:
                self._put(name, findings=(*self._by_id[name].findings, event))
            case ReviewMeasured(attempt=name):
                self._put(name, measured=event)
            case VerdictGiven(attempt=name):
                self._put(name, verdict=event)
            case FeedbackReleased(attempt=name):
                self._put(name, feedback=event)
            case ReviewResolved(attempt=name):
                self._put(name, resolved=event)
            case _:
                pass

    def _submit(self, event: AttemptSubmitted) -> None:
        name = event.attempt
        if name not in self._by_id:
            self._number[name] = len(self._number)
            self._of_worker.setdefault(event.worker, []).append(name)
            self._of_lane.setdefault(event.lane, []).append(name)

        self._by_id[name] = Attempt(event)
        self._sort(self._by_id[name])

    def _put(self, name: str, **change: object) -> None:
        """Change one entry. An event about an unknown one changes nothing: the fold is total."""
        if name in self._by_id:
            self._by_id[name] = replace(self._by_id[name], **change)  # type: ignore[arg-type]
            self._sort(self._by_id[name])

    def _sort(self, attempt: Attempt) -> None:
        """Keep the sets of attempts that deciders look through."""
        executed = attempt.executed
        waits = executed is not None and executed.outcome == "complete" and attempt.verdict is None
        (self._under_review.add if waits else self._under_review.discard)(attempt.id)
        accepted = attempt.standing == "accept"
        (self._accepted.add if accepted else self._accepted.discard)(attempt.id)

    def _listed(self, names: Iterable[str]) -> tuple[Attempt, ...]:
        return tuple(self._by_id[name] for name in sorted(names, key=self._number.__getitem__))

    @property
    def entries(self) -> Entries[Attempt]:
        """Attempts, in the order they were handed in."""
        return self._by_id

    def __iter__(self) -> Iterator[Attempt]:
        """Yield attempts in the order they were handed in."""
        yield from self._by_id.values()

    def get(self, name: str) -> Attempt | None:
        """Return one attempt, if it is known."""
        return self._by_id.get(name)

    def of_worker(self, worker: str) -> tuple[Attempt, ...]:
        """Return a worker's attempts, oldest first."""
        mine = (self._by_id[name] for name in self._of_worker.get(worker, ()))
        return tuple(sorted(mine, key=lambda a: a.submitted.turn))

    def of_lane(self, lane: str) -> tuple[Attempt, ...]:
        """Return a lane's attempts, sorted by id."""
        return tuple(self._by_id[name] for name in sorted(self._of_lane.get(lane, ())))

    def under_review(self) -> tuple[Attempt, ...]:
        """Return the attempts that wait for a verdict, in the order they were handed in."""
        return self._listed(self._under_review)

    def accepted(self) -> tuple[Attempt, ...]:
        """Return the attempts that stand as accepted, in the order they were handed in."""
        return self._listed(self._accepted)
