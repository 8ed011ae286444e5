"""Events of the independent reviewer."""

from typing import Literal

from ledger.events.base import Blob, Digest, Fact, Part, Whole
from ledger.events.data import Score
from ledger.events.job import Assurance

Outcome = Literal["pass", "note", "flag", "reject", "unchecked"]


class Evidence(Part):
    """What a finding rests on: an event, a blob, or a recomputed number."""

    kind: Literal["event", "blob", "number"]
    ref: str
    """Event sequence number, blob digest, or the name of the number."""
    says: str


class CheckFound(Fact):
    """One check of the reviewer said what it saw."""

    type: Literal["review.check_found"] = "review.check_found"
    attempt: str
    check: str
    """Check id with its version, such as `prediction-geometry/1`."""
    outcome: Outcome
    code: str
    """Reason code; `OK` when it passed, `UNCHECKED` when it could not be done."""
    says: str
    evidence: tuple[Evidence, ...]


class ReviewRequested(Fact):
    """An executed attempt goes to the reviewer."""

    type: Literal["review.requested"] = "review.requested"
    attempt: str


class ReviewMeasured(Fact):
    """The scores that the reviewer recomputed from the hidden labels."""

    type: Literal["review.measured"] = "review.measured"
    attempt: str
    scores: tuple[Score, ...]
    """Validation scores; the primary metric first."""
    inner: Score | None
    """Primary metric on the inner set; null when there is no inner set."""
    per_case: Blob
    """Blob: canonical JSON, see `amid.documents.CaseScores`."""
    nulls_beaten: bool
    """True when the paired interval over groups lies above every null model."""
    standard_error: str | None
    """Standard error of the primary score over groups, shortest decimal."""


class VerdictGiven(Fact):
    """The reviewer's decision on an attempt."""

    type: Literal["review.verdict_given"] = "review.verdict_given"
    attempt: str
    verdict: Literal["accept", "flag", "reject"]
    codes: tuple[str, ...]
    rules: Digest
    """Digest of the rule set that turned findings into this verdict."""
    assurance: Assurance


class FeedbackReleased(Fact):
    """A worker was told a validation result: the n-th look at it in this run."""

    type: Literal["review.feedback_released"] = "review.feedback_released"
    attempt: str
    n: Whole
    says: str


class ReviewResolved(Fact):
    """A person settled a flag."""

    type: Literal["review.resolved"] = "review.resolved"
    attempt: str
    decision: Literal["accept", "reject"]
    person: str
    because: str
