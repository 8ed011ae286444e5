"""How tables of probabilities are opened, compared with the hidden classes, and scored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from amid.documents import Case, CaseScores, Inventory
from amid.kinds.classification.decoded import Tables
from amid.kinds.classification.labels import read_classes
from amid.kinds.classification.nulls import score_nulls
from amid.kinds.classification.scores import Table
from amid.review.checks.evidence import Part as Side
from amid.review.checks.evidence import Prediction
from amid.review.kind import Scores, Stratum
from amid.review.measure.inputs import Inputs, Rules

Floats = NDArray[np.float64]


def opened(folder: Path) -> Tables:
    """Open the output folder of a decode job."""
    return Tables(folder)


def reference(run: Path, case: Case, rules: Rules) -> Floats | None:
    """Return the hidden classes of a case; None when the task has none."""
    return read_classes(run, case, rules)


def compared(prediction: Prediction, reference: Floats, value: Floats) -> Prediction:
    """Say whether an answer is the hidden class without any doubt."""
    return replace(prediction, equals_label=bool(np.array_equal(reference, value)))


def table(of: str, part: Side, rules: Rules, group_of: Mapping[str, str]) -> Table:
    """Return an empty table of scores."""
    return Table(of, part, rules, group_of)


def nulls(inputs: Inputs) -> Sequence[tuple[str, Scores]]:
    """Score the null models."""
    return score_nulls(inputs)


def by_columns(
    scores: CaseScores, inventory: Inventory, columns: tuple[str, ...], metric: str
) -> Iterator[Stratum]:
    """Yield nothing: what is kept case by case tells no class, so no part can be scored again."""
    del scores, inventory, columns, metric
    yield from ()


__all__ = ["by_columns", "compared", "nulls", "opened", "reference", "table"]
