"""Intervals over groups of a number that whole sets have and single cases do not, such as AUROC.

As in `amid.review.intervals` groups are drawn, never cases. A statistic is given as a function of
how often each group counts, so that resampled sets are never built.
"""

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from amid.review.intervals import (
    BOOTSTRAP_FROM,
    SIGNS_BELOW,
    UNBOUNDED,
    Bounds,
    Direction,
    Interval,
    drawn,
    t_quantile,
)

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]
"""From how often each group counts (a row per set) to one value per set, NaN where undefined."""

TOGETHER = 500
"""Resampled sets that are looked at together: keeps the memory small."""
DEFINED = 0.5
"""Part of the resampled sets that must have a value."""


def interval_of(
    statistic: Statistic,
    *,
    groups: int,
    cases: int,
    alpha: float = 0.05,
    seed: int = 0,
    within: Bounds = UNBOUNDED,
) -> Interval:
    """Return the value of the whole set with its 1 - alpha interval over groups.

    Args:
        statistic: of the number.
        groups: how many there are.
        cases: how many there are, for the record.
        alpha: how often the interval may miss.
        seed: of the bootstrap.
        within: where the number can lie.

    Raises:
        ValueError: the whole set has no value.
    """
    value = float(statistic(np.ones((1, groups)))[0]) if groups else math.nan
    if not math.isfinite(value):
        raise ValueError("no defined value to make an interval of: record a status instead")

    left_out = _left_out(statistic, groups)
    if groups == 1 or not np.isfinite(left_out).all():
        return Interval(value, None, None, None, cases, groups, "none")

    error = math.sqrt((groups - 1) / groups * float(np.sum((left_out - left_out.mean()) ** 2)))
    if groups < BOOTSTRAP_FROM:
        reach = t_quantile(1 - alpha / 2, groups - 1) * error
        return Interval(
            value,
            _cut(value - reach, within),
            _cut(value + reach, within),
            error,
            cases,
            groups,
            "t",
        )

    found = _resampled(statistic, groups, seed)
    found = np.sort(found[np.isfinite(found)])
    if len(found) < DEFINED * len(drawn(groups, seed)):
        return Interval(value, None, None, error, cases, groups, "none")

    low, high = _ends(found, value, left_out, alpha)
    return Interval(value, low, high, error, cases, groups, "bca")


def better(
    difference: Statistic, direction: Direction, *, groups: int, looks: int = 1, seed: int = 0
) -> bool:
    """Say whether the first of two sets of answers to the same cases is better beyond chance.

    Args:
        difference: first minus second, both by the same weights of groups.
        direction: which way the number is better.
        groups: how many there are; with fewer than 8 nothing can be told.
        looks: how often this validation set has been looked at; the interval widens (Bonferroni).
        seed: of the bootstrap.
    """
    if groups < SIGNS_BELOW:
        return False

    sign = 1.0 if direction == "maximize" else -1.0
    try:
        found = interval_of(
            lambda weights: sign * difference(weights),
            groups=groups,
            cases=groups,
            alpha=0.05 / max(1, looks),
            seed=seed,
        )
    except ValueError:
        return False

    return found.low is not None and found.low > 0


def _left_out(statistic: Statistic, groups: int) -> Floats:
    """Return the values of the sets that lack one group each."""
    values = [
        statistic(1.0 - np.eye(groups)[start : start + TOGETHER])
        for start in range(0, groups, TOGETHER)
    ]
    return np.concatenate(values)


def _resampled(statistic: Statistic, groups: int, seed: int) -> Floats:
    weights = drawn(groups, seed)
    values = [
        statistic(weights[start : start + TOGETHER]) for start in range(0, len(weights), TOGETHER)
    ]
    return np.concatenate(values)


def _ends(found: Floats, value: float, left_out: Floats, alpha: float) -> tuple[float, float]:
    """Return the ends of the bias-corrected and accelerated interval over sorted resamples."""
    if found[0] == found[-1]:
        return value, value

    normal = NormalDist()
    below = (np.sum(found < value) + np.sum(found == value) / 2) / len(found)
    bias = normal.inv_cdf(min(max(float(below), 1 / len(found)), 1 - 1 / len(found)))
    away = left_out.mean() - left_out
    scale = float(np.sum(away**2)) ** 1.5
    speed = float(np.sum(away**3)) / (6 * scale) if scale > 0 else 0.0
    ends = []
    for tail in (alpha / 2, 1 - alpha / 2):
        z = bias + normal.inv_cdf(tail)
        share = normal.cdf(bias + z / (1 - speed * z)) if speed * z < 1 else float(z > 0)
        place = min(max(share * len(found) - 0.5, 0.0), len(found) - 1.0)
        ends.append(float(np.interp(place, np.arange(len(found)), found)))

    return min(ends[0], value), max(ends[1], value)


def _cut(end: float, within: Bounds) -> float:
    least, greatest = within
    end = end if least is None else max(end, least)
    return end if greatest is None else min(end, greatest)


__all__ = ["Statistic", "better", "interval_of"]
