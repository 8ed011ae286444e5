"""What the checks of label maps look at besides what is known of every prediction."""

from collections.abc import Iterator
from dataclasses import dataclass

from amid.data.space import Grid
from amid.review.checks.evidence import Evidence, Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelMap(Prediction):
    """One expected label map and what was found in its place."""

    image: Grid
    """Of the case's first image."""
    dims: tuple[int, ...] = ()
    """As the file declares them, x first."""
    grid: Grid | None = None
    ambiguity: float | None = None
    """Voxels between the two positions the header gives; None when it gives one."""
    whole: bool = True
    """False when some value is not a whole number."""
    values: tuple[int, ...] = ()
    """Distinct values, at most the first 64."""


def label_maps(evidence: Evidence) -> Iterator[LabelMap]:
    """Yield the predictions, each of which is a label map in evidence about a segmentation."""
    for prediction in evidence.predictions:
        if not isinstance(prediction, LabelMap):
            raise TypeError(f"{prediction.name} is no label map: the evidence is of another kind")

        yield prediction


__all__ = ["LabelMap", "label_maps"]
