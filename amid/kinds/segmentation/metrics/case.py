"""One case: every metric for every foreground label, and the conventions for empty masks.

An undefined value is None. NaN and infinity never leave this module.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from amid.kinds.segmentation.metrics.overlap import Labels, dice_of, joint_histogram
from amid.kinds.segmentation.metrics.registry import Metric, Pair, metric

Empty = Literal["one-if-both-empty", "nan-if-both-empty", "skip"]
"""What a label counts that neither reference nor prediction has: the perfect value; nothing, and
the case has no value if that is so for every label; or the same under its other name."""

Average = Literal["macro-foreground-per-case"]

EMPTY: tuple[str, ...] = get_args(Empty)
AVERAGE: tuple[str, ...] = get_args(Average)

Values = dict[str, float | None]
"""`metric` and `metric:label` to value."""


def score_case(
    reference: Labels,
    prediction: Labels,
    *,
    spacing: Sequence[float],
    foreground: Mapping[str, int],
    metrics: Sequence[str],
    empty: str,
) -> Values:
    """Measure one case.

    Args:
        reference: hidden labels.
        prediction: predicted labels on the same grid.
        spacing: mm per axis in the order of the array's axes.
        foreground: label name to number, background left out.
        metrics: names of metrics, the primary first.
        empty: convention for labels that both sides lack.

    Returns:
        For each metric its mean over the foreground labels, then `metric:label` for each.

    Raises:
        ValueError: an unknown convention, or arrays of different shape.
        KeyError: an unknown metric.
    """
    if empty not in EMPTY:
        raise ValueError(f"metric.empty is {empty!r}: it is one of {', '.join(EMPTY)}")

    wanted = [metric(name) for name in metrics]
    numbers = list(foreground.values())
    joint = joint_histogram(reference, prediction, numbers)
    diagonal = math.sqrt(
        sum((n * step) ** 2 for n, step in zip(reference.shape, spacing, strict=True))
    )
    by_label = {
        name: _label(reference, prediction, spacing, number, joint, place, wanted, empty, diagonal)
        for place, (name, number) in enumerate(foreground.items())
    }
    values: Values = {}
    for chosen in wanted:
        values[chosen.name] = mean_of([found[chosen.name] for found in by_label.values()])

    for chosen in wanted:
        for name, found in by_label.items():
            values[f"{chosen.name}:{name}"] = found[chosen.name]

    return values


def mean_of(values: Sequence[float | None]) -> float | None:
    """Return the mean of the defined values; None when there is none."""
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


def _label(
    reference: Labels,
    prediction: Labels,
    spacing: Sequence[float],
    number: int,
    joint: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    place: int,
    wanted: Sequence[Metric],
    empty: str,
    diagonal: float,
) -> Values:
    """Measure one label by every wanted metric."""
    in_reference = int(joint[place, :].sum())
    in_prediction = int(joint[:, place].sum())

    if not in_reference and not in_prediction:
        return {m.name: m.perfect if empty == "one-if-both-empty" else None for m in wanted}

    if not in_reference or not in_prediction:
        return {m.name: diagonal if m.missed == "diagonal" else m.missed for m in wanted}

    if in_reference == in_prediction == int(joint[place, place]):
        return {m.name: m.perfect for m in wanted}

    pair = Pair(reference == number, prediction == number, spacing, dice=dice_of(joint, place))
    return {m.name: m.function(pair) for m in wanted}
