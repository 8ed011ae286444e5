"""What the reviewer asks of a kind of task: how to decode, compare, score and check predictions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from amid.documents import Case, CaseScores, Finding, Inventory
from amid.review.checks.evidence import Evidence, Extra, Prediction, Recomputed
from amid.review.checks.evidence import Part as Side
from amid.review.measure.inputs import Inputs, Rules
from amid.tasks import kinds
from ledger.events.data import Score

Value = Any
"""A prediction or a reference as the kind compares them: voxels, probabilities, boxes."""


class ChecksPart(Protocol):
    """The room `checks`: pure, and loaded by whoever rules again."""

    @property
    def CHECKS(self) -> Mapping[str, Callable[[Evidence], Finding]]:
        """Check id with version to check, in the order in which they run and are reported."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One prediction: what is known of it, and its value where it can be compared at all."""

    prediction: Prediction
    value: Value | None


class Decoded(Protocol):
    """The output folder of a decode job, as the kind reads it."""

    @property
    def folds(self) -> tuple[str, ...]:
        """Names of the folds whose predictions were decoded."""

    def extras(self) -> Iterator[Extra]:
        """Yield the files that have no contracted name."""

    def look(self, fold: str, case: Case, part: Side) -> Seen:
        """Look at the prediction of a case by a fold's model."""


class Scores(Protocol):
    """What a set of cases is worth, and what stands in the way of an honest number."""

    @property
    def part(self) -> Side:
        """Which cases these are."""

    @property
    def unusable(self) -> int:
        """Cases whose prediction is missing, broken or cannot be compared."""

    def add(self, case: Case, fold: str, reference: Value, found: Sequence[Value | None]) -> None:
        """Add a case with its predictions: one, or one of each fold's model."""

    def names(self) -> list[str]:
        """Return the names of its scores in the order of report, the primary first."""

    def score(self, name: str) -> Score:
        """Return one score with its interval over groups."""

    def recomputed(self, score: Score) -> Recomputed:
        """Return a score as the checks read it."""

    def standard_error(self, name: str) -> str | None:
        """Return the standard error over groups; None where there is none."""

    def beats(self, other: CaseScores, *, looks: int) -> bool:
        """Say whether these are better than another's on the same cases, beyond chance."""

    def document(self) -> CaseScores:
        """Return what is kept case by case; never anything a label can be read from."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """The score of the cases that share one value of a column."""

    column: str
    value: str
    score: Score


class ReviewPart(Protocol):
    """The room `review`: the scorer, with the vault and without hostile files."""

    def opened(self, folder: Path) -> Decoded:
        """Open the output folder of a decode job; raise InputWrong where it is none."""

    def reference(self, run: Path, case: Case, rules: Rules) -> Value | None:
        """Return a hidden label; None where the task has none for this case."""

    def compared(self, prediction: Prediction, reference: Value, value: Value) -> Prediction:
        """Return what is known of a prediction beside its label."""

    def table(self, of: str, part: Side, rules: Rules, group_of: Mapping[str, str]) -> Scores:
        """Return an empty table of scores."""

    def nulls(self, inputs: Inputs) -> Sequence[tuple[str, Scores]]:
        """Score each null model over the validation cases of all folds, by its name."""

    def by_columns(
        self, scores: CaseScores, inventory: Inventory, columns: tuple[str, ...], metric: str
    ) -> Iterator[Stratum]:
        """Yield a score for each value of each column, values in order."""


def review_part(kind: str) -> ReviewPart:
    """Return what a kind of task says about scores."""
    return cast(ReviewPart, kinds.part(kind, "review"))


__all__ = [
    "ChecksPart",
    "Decoded",
    "ReviewPart",
    "Scores",
    "Seen",
    "Stratum",
    "Value",
    "review_part",
]
