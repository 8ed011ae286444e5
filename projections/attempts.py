"""Attempts: what was handed in, what the reviewer found and how it was ruled.

Reads attempt.*, review.*.
"""

from collections.abc import Iterator
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
        self._by_id: dict[str, Attempt] = {}

    def apply(self, event: Fact) -> None:
        """Take in one event."""
        match event:
            case AttemptSubmitted(attempt=name):
                self._by_id[name] = Attempt(event)
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

    def _put(self, name: str, **change: object) -> None:
        """Change one entry. An event about an unknown one changes nothing: the fold is total."""
        if name in self._by_id:
            self._by_id[name] = replace(self._by_id[name], **change)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Attempt]:
        """Yield attempts in the order they were handed in."""
        yield from self._by_id.values()

    def get(self, name: str) -> Attempt | None:
        """Return one attempt, if it is known."""
        return self._by_id.get(name)

    def of_worker(self, worker: str) -> tuple[Attempt, ...]:
        """Return a worker's attempts, oldest first."""
        mine = (a for a in self._by_id.values() if a.submitted.worker == worker)
        return tuple(sorted(mine, key=lambda a: a.submitted.turn))

    def of_lane(self, lane: str) -> tuple[Attempt, ...]:
        """Return a lane's attempts, sorted by id."""
        return tuple(sorted((a for a in self if a.submitted.lane == lane), key=lambda a: a.id))
