"""How predicted label maps are opened, compared with the hidden ones, and scored."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from amid.documents import Case
from amid.kinds.segmentation.decoded import LabelMaps, payload
from amid.kinds.segmentation.labels import BACKGROUND, read_label, without_ignored
from amid.kinds.segmentation.metrics.overlap import Labels
from amid.kinds.segmentation.nulls import score_nulls
from amid.kinds.segmentation.scores import Table
from amid.kinds.segmentation.strata import by_columns
from amid.review.checks.evidence import Part as Side
from amid.review.checks.evidence import Prediction
from amid.review.kind import Scores
from amid.review.measure.inputs import Inputs, Rules


def opened(folder: Path) -> LabelMaps:
    """Open the output folder of a decode job."""
    return LabelMaps(folder)


def reference(run: Path, case: Case, rules: Rules) -> Labels | None:
    """Return the hidden label map of a case; None when the task has none."""
    return read_label(run, case, rules.ignore)


def compared(prediction: Prediction, reference: Labels, value: Labels) -> Prediction:
    """Say whether a prediction equals its hidden label, which is not empty."""
    known, shown = without_ignored(reference, value)
    equal = np.array_equal(known, shown) and bool(np.any(known != BACKGROUND))
    return replace(prediction, equals_label=equal, reference=payload(reference))


def table(of: str, part: Side, rules: Rules, group_of: Mapping[str, str]) -> Table:
    """Return an empty table of scores."""
    return Table(of, part, rules, group_of)


def nulls(inputs: Inputs) -> Sequence[tuple[str, Scores]]:
    """Score the null models."""
    return score_nulls(inputs)


__all__ = ["by_columns", "compared", "nulls", "opened", "reference", "table"]
