"""What the checks of probabilities look at besides what is known of every prediction."""

from collections.abc import Iterator
from dataclasses import dataclass

from amid.review.checks.evidence import Evidence, Prediction

ROUNDING = 1e-3
"""By how much the probabilities of a case may miss 1 in all: they are written with few digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Prediction):
    """One expected row of probabilities and what was found in its place."""

    columns: tuple[str, ...] = ()
    """Class names as the table's header gives them."""
    values: tuple[float, ...] = ()
    twice: bool = False
    """Whether the case has a second row."""

    @property
    def in_range(self) -> bool:
        """Whether every number lies between 0 and 1."""
        return all(0.0 <= value <= 1.0 for value in self.values)

    @property
    def usable(self) -> bool:
        """Whether it can be compared with a class at all."""
        return self.in_range and not self.twice


def answers(evidence: Evidence) -> Iterator[Answer]:
    """Yield the predictions, each of which is a row in evidence about a classification."""
    for prediction in evidence.predictions:
        if not isinstance(prediction, Answer):
            raise TypeError(
                f"{prediction.name} is no row of probabilities: evidence of another kind"
            )

        yield prediction


__all__ = ["ROUNDING", "Answer", "answers"]
