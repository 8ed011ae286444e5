"""What the checks look at: plain values, measured once from files by `amid.review.measure`.

Nothing here reads anything. Ids are aliases. A part that could not be had is None, and the checks
that need it answer `unchecked`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from amid.documents import Finding
from ledger.events.codes import ReasonCode
from ledger.events.review import Evidence as Ground
from ledger.events.review import Outcome

Part = Literal["validation", "inner", "test"]
FileStatus = Literal["ok", "missing", "symlink", "not-a-file", "corrupt", "not-finite"]

SHOWN = 20
"""How many items a finding lists; its sentence counts all of them."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """One expected prediction and what was found in its place."""

    fold: str
    case: str
    part: Part
    status: FileStatus
    reason: str = ""
    coarse: str = ""
    """Digest of what it says on a coarse scale: equal for predictions that are nearly the same."""
    foreground: int = 1
    """How much it says: 0 when it is empty, such as a mask that is all background."""
    payload: str = ""
    """Digest of what it says, whatever the form it was stored in."""
    reference: str = ""
    """Digest of the hidden label; empty where it was not looked at. Never in a finding."""
    equals_label: bool | None = None
    """Says what the hidden label says, which is not empty; None where it was not compared."""

    @property
    def name(self) -> str:
        """How findings call it."""
        return f"{self.fold}/{self.case}"


@dataclass(frozen=True, slots=True)
class Extra:
    """A file in the predictions folder that is no case's contracted name."""

    fold: str
    name: str
    kind: Literal["file", "folder", "symlink", "other"]


@dataclass(frozen=True, slots=True)
class Sides:
    """One fold: who was learned from and who is judged."""

    fold: str
    fit: tuple[str, ...]
    validation: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SplitFacts:
    """The frozen split."""

    folds: tuple[Sides, ...]
    inner: tuple[str, ...]
    test: tuple[str, ...]
    group_of: Mapping[str, str]

    @property
    def development(self) -> tuple[str, ...]:
        """Every case outside the test set, sorted."""
        cases = set(self.inner)
        for sides in self.folds:
            cases.update(sides.fit, sides.validation)

        return tuple(sorted(cases))


@dataclass(frozen=True, slots=True)
class ImageHash:
    """One image channel under its canonical hash."""

    case: str
    channel: str
    canonical: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that the worker states."""

    metric: str
    value: str
    """As written: its digits say how exact it is meant."""


@dataclass(frozen=True, slots=True)
class Recomputed:
    """A score as the reviewer computed it."""

    part: Part
    metric: str
    value: float | None
    status: str
    defined: int
    """Cases that have a value."""
    cases: int


@dataclass(frozen=True, slots=True)
class NullResult:
    """A null model beside the attempt."""

    null: str
    value: float | None
    beaten: bool


@dataclass(frozen=True, slots=True)
class Opening:
    """One access under a root that no job of an attempt may see."""

    op: str
    path: str
    result: str
    granted: bool


@dataclass(frozen=True, slots=True)
class AccessFacts:
    """What the recorder of one job saw of sealed places."""

    record: str
    """Digest of the record's blob."""
    lines: int
    sealed: tuple[Opening, ...]


@dataclass(frozen=True, slots=True)
class Earlier:
    """Another attempt's predictions."""

    attempt: str
    lane: str
    payload: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of one attempt when it is judged."""

    attempt: str
    lane: str
    assurance: str
    predictions: tuple[Prediction, ...]
    extras: tuple[Extra, ...]
    labels: Mapping[str, int]
    split: SplitFacts
    images: tuple[ImageHash, ...]
    metric: str
    direction: str
    """As the contract says."""
    metric_direction: str | None
    """As the metric is defined; None for an unknown metric."""
    scores: tuple[Recomputed, ...]
    claims: tuple[Claim, ...]
    nulls: tuple[NullResult, ...] | None
    access: tuple[AccessFacts, ...] | None
    payload: str
    """Digest over all validation predictions."""
    earlier: tuple[Earlier, ...] | None
    several: bool = False
    """Whether a case may have several of the labels."""

    @property
    def sealed_read(self) -> bool:
        """True when a job of the attempt opened a sealed place."""
        return any(o.granted for facts in self.access or () for o in facts.sealed)


def finding(
    check: str, outcome: Outcome, code: ReasonCode, says: str, grounds: Sequence[Ground] = ()
) -> Finding:
    """Put a finding together; no more grounds than people read."""
    return Finding(
        check=check, outcome=outcome, code=code, says=says, evidence=tuple(grounds[:SHOWN])
    )


def passed(check: str, says: str, grounds: Sequence[Ground] = ()) -> Finding:
    """Say that a check looked and found nothing wrong."""
    return finding(check, "pass", "OK", says, grounds)


def unchecked(check: str, why: str) -> Finding:
    """Say that a check could not look, and why."""
    return finding(check, "unchecked", "UNCHECKED", why)


def number(ref: str, says: str) -> Ground:
    """Name a recomputed number that a finding rests on."""
    return Ground(kind="number", ref=ref, says=says)


def some(names: Sequence[str], shown: int = 5) -> str:
    """List the first names and count the rest."""
    rest = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + rest
