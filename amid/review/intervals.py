"""Intervals over groups: how far a mean score can be trusted, and whether one beats another.

Cases of one group are not independent, so the group is the unit that is resampled. The estimate
is the mean over cases; groups may differ in size (a ratio of sums). Everything is deterministic.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

BOOTSTRAP_FROM = 20
"""With fewer groups the t interval is used: it covers badly, the bootstrap worse."""

SIGNS_BELOW = 8
"""With fewer groups one attempt beats another only by being better in each of them."""

RESAMPLES = 5_000

Direction = Literal["maximize", "minimize"]

Bounds = tuple[float | None, float | None]
"""The least and the greatest value there can be; None where there is no bound."""

UNBOUNDED: Bounds = (None, None)


@dataclass(frozen=True, slots=True)
class Grouped:
    """Per group the sum of its values and how many there are, in order of group name."""

    sums: tuple[float, ...]
    counts: tuple[int, ...]

    @property
    def mean(self) -> float:
        """Mean over cases."""
        return math.fsum(self.sums) / sum(self.counts)


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its interval; the ends are None when it could not be made."""

    value: float
    low: float | None
    high: float | None
    standard_error: float | None
    cases: int
    groups: int
    method: Literal["none", "t", "bca"]

    @property
    def remark(self) -> str:
        """What a reader must know about the interval; empty when nothing."""
        if self.method == "none":
            return "no interval from one group"

        if self.method == "t":
            return f"t interval over {self.groups} groups covers less than it says"

        return ""


def grouped(values: Sequence[tuple[str, float]]) -> Grouped:
    """Gather (group, value) pairs by group."""
    by_group: dict[str, list[float]] = {}
    for group, value in values:
        by_group.setdefault(group, []).append(value)

    names = sorted(by_group)
    return Grouped(
        tuple(math.fsum(by_group[name]) for name in names),
        tuple(len(by_group[name]) for name in names),
    )


def interval(
    data: Grouped, *, alpha: float = 0.05, seed: int = 0, within: Bounds = UNBOUNDED
) -> Interval:
    """Return the mean over cases with its 1 - alpha interval over groups.

    Args:
        data: values by group.
        alpha: how often the interval may miss.
        seed: of the bootstrap.
        within: where the metric can lie. Student's t knows no bounds, so its ends are cut there;
            that takes nothing from the coverage, since the mean cannot lie beyond.

    Raises:
        ValueError: there is no value at all.
    """
    groups, cases = len(data.counts), sum(data.counts)
    if not groups:
        raise ValueError("no defined value to make an interval of: record a status instead")

    value = data.mean
    if groups == 1:
        return Interval(value, None, None, None, cases, 1, "none")

    error = standard_error(data)
    if groups < BOOTSTRAP_FROM:
        reach = t_quantile(1 - alpha / 2, groups - 1) * error
        low, high = _cut(value - reach, within), _cut(value + reach, within)
        return Interval(value, low, high, error, cases, groups, "t")

    low, high = _bca(data, alpha, seed)
    return Interval(value, low, high, error, cases, groups, "bca")


def _cut(end: float, within: Bounds) -> float:
    least, greatest = within
    end = end if least is None else max(end, least)
    return end if greatest is None else min(end, greatest)


def standard_error(data: Grouped) -> float:
    """Return the standard error over groups of the mean over cases (two groups at least)."""
    groups, cases = len(data.counts), sum(data.counts)
    mean = data.mean
    spread = math.fsum((s - mean * n) ** 2 for s, n in zip(data.sums, data.counts, strict=True))
    return math.sqrt(spread * groups / (groups - 1)) / cases


def paired(
    first: Mapping[str, float | None],
    second: Mapping[str, float | None],
    group_of: Mapping[str, str],
) -> Grouped:
    """Gather differences first - second of the cases where both are defined, by group."""
    return grouped(
        [
            (group_of[case], value - other)
            for case, value in sorted(first.items())
            if value is not None and (other := second.get(case)) is not None
        ]
    )


def beats(difference: Grouped, direction: Direction, *, looks: int = 1, seed: int = 0) -> bool:
    """Say whether the first of a paired difference is better beyond chance.

    The lower end of the interval of the gain lies above zero; with fewer than 8 groups, where no
    interval can be relied on, the first is better in every group.

    Args:
        difference: first minus second, by group; see `paired`.
        direction: which way the metric is better.
        looks: how often this validation set has been looked at; the interval widens (Bonferroni).
        seed: of the bootstrap.
    """
    if not difference.counts:
        return False

    sign = 1.0 if direction == "maximize" else -1.0
    gain = Grouped(tuple(sign * s for s in difference.sums), difference.counts)
    if len(gain.counts) < SIGNS_BELOW:
        return all(s > 0 for s in gain.sums)

    low = interval(gain, alpha=0.05 / max(1, looks), seed=seed).low
    return low is not None and low > 0


def t_quantile(probability: float, freedom: int) -> float:
    """Return the quantile of Student's t by bisection of its closed form for whole freedom."""
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)

    low, high = 0.0, 1.0
    while _t_below(high, freedom) < probability and high < 1e12:
        low, high = high, 2 * high

    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break

        if _t_below(middle, freedom) < probability:
            low = middle
        else:
            high = middle

    return (low + high) / 2


def _t_below(t: float, freedom: int) -> float:
    """Return P(T <= t) for t >= 0 (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(3 if odd else 2, freedom - 1, 2):
        term *= square * (k - 1) / k
        total += term

    inside = math.sin(angle) * total
    inside = 2 / math.pi * (angle + inside) if odd else inside
    return 0.5 + inside / 2


def _bca(data: Grouped, alpha: float, seed: int) -> tuple[float, float]:
    """Return the ends of the bias-corrected and accelerated bootstrap interval."""
    sums = np.asarray(data.sums)
    counts = np.asarray(data.counts, dtype=np.float64)
    value = data.mean
    weights = drawn(len(sums), seed)
    means = np.sort(weights @ sums / (weights @ counts))
    if means[0] == means[-1]:
        return value, value

    below = (np.sum(means < value) + np.sum(means == value) / 2) / len(means)
    normal = NormalDist()
    bias = normal.inv_cdf(min(max(float(below), 1 / len(means)), 1 - 1 / len(means)))
    left_out = (sums.sum() - sums) / (counts.sum() - counts)
    away = left_out.mean() - left_out
    scale = float(np.sum(away**2)) ** 1.5
    speed = float(np.sum(away**3)) / (6 * scale) if scale > 0 else 0.0
    ends = []
    for tail in (alpha / 2, 1 - alpha / 2):
        z = bias + normal.inv_cdf(tail)
        share = normal.cdf(bias + z / (1 - speed * z)) if speed * z < 1 else float(z > 0)
        place = min(max(share * len(means) - 0.5, 0.0), len(means) - 1.0)
        ends.append(float(np.interp(place, np.arange(len(means)), means)))

    return min(ends[0], value), max(ends[1], value)


@lru_cache(maxsize=8)
def drawn(groups: int, seed: int) -> NDArray[np.float64]:
    """Return how often each resample draws each group.

    `RandomState` and not `Generator`: NumPy promises its stream for ever.
    """
    drawn = np.random.RandomState(seed).randint(0, groups, size=(RESAMPLES, groups))
    rows = np.arange(RESAMPLES)[:, None] * groups
    flat = np.bincount((rows + drawn).ravel(), minlength=RESAMPLES * groups)
    return flat.reshape(RESAMPLES, groups).astype(np.float64)


__all__ = [
    "UNBOUNDED",
    "Bounds",
    "Grouped",
    "Interval",
    "beats",
    "drawn",
    "grouped",
    "interval",
    "paired",
    "standard_error",
    "t_quantile",
]
