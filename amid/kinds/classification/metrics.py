"""Metrics of probabilities, over sets of cases that count with weights.

Every function takes `shares` and `truth` (a row per case, a column per class, truth 0 or 1) and
`weights` (a row per set, a column per case), and returns a row per set with a value per class, NaN
where the set has no value. scikit-learn's numbers, which the tests compare with; own code because
a bootstrap asks for thousands of sets at once.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Measure = Callable[[Floats, Floats, Floats], Floats]

SMALLEST = 1e-15
"""A probability counts at least so much in the logarithm."""
BINS = 15
"""Of equal width, for the calibration error."""


def auroc(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """Area under the ROC curve of each class against all others; equal scores count half."""
    columns = []
    for share, wanted in zip(shares.T, truth.T, strict=True):
        positive, negative = _by_score(share, wanted, weights)
        before = np.cumsum(negative, axis=1) - negative
        area = np.sum(positive * (before + negative / 2), axis=1)
        columns.append(_ratio(area, positive.sum(axis=1) * negative.sum(axis=1)))

    return np.stack(columns, axis=1)


def average_precision(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """Precision at each threshold, weighted by the recall that it adds, for each class."""
    columns = []
    for share, wanted in zip(shares.T, truth.T, strict=True):
        positive, negative = _by_score(-share, wanted, weights)
        found, wrong = np.cumsum(positive, axis=1), np.cumsum(negative, axis=1)
        precision = np.where(found > 0, found / np.maximum(found + wrong, 1e-300), 0)
        columns.append(_ratio(np.sum(positive * precision, axis=1), positive.sum(axis=1)))

    return np.stack(columns, axis=1)


def recall(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """Share of each class's cases that are called so; exclusive classes."""
    called = _called(shares)
    return _ratio(weights @ (called * truth), weights @ truth)


def balance(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """Mean of sensitivity and specificity of each class at one half; several classes a case."""
    called = (shares >= 0.5).astype(np.float64)
    hit = _ratio(weights @ (called * truth), weights @ truth)
    passed = _ratio(weights @ ((1 - called) * (1 - truth)), weights @ (1 - truth))
    return (hit + passed) / 2


def accuracy(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """Share of cases that are called right; exclusive classes, so the same for every class."""
    right = np.sum(_called(shares) * truth, axis=1, keepdims=True)
    found = _ratio(weights @ right, weights.sum(axis=1, keepdims=True))
    return np.repeat(found, truth.shape[1], axis=1)


def agreement(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """Share of cases for which each class is told right at one half; several classes a case."""
    right = ((shares >= 0.5) == (truth > 0)).astype(np.float64)
    return _ratio(weights @ right, weights.sum(axis=1, keepdims=True))


def f1(called: Floats, truth: Floats, weights: Floats) -> Floats:
    """Twice the hits over all calls and all cases of each class; 0 where nothing is called."""
    hits = weights @ (called * truth)
    return _ratio(2 * hits, weights @ called + weights @ truth)


def f1_exclusive(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """F1 of each class, the most probable one being called."""
    return f1(_called(shares), truth, weights)


def f1_several(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """F1 of each class, called from one half on."""
    return f1((shares >= 0.5).astype(np.float64), truth, weights)


def log_loss_exclusive(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """Mean of -ln of the probability of the true class."""
    even = shares / shares.sum(axis=1, keepdims=True)
    lost = -np.sum(truth * np.log(np.maximum(even, SMALLEST)), axis=1, keepdims=True)
    found = _ratio(weights @ lost, weights.sum(axis=1, keepdims=True))
    return np.repeat(found, truth.shape[1], axis=1)


def log_loss_several(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """Mean of -ln of the probability of what is true of each class."""
    sure = np.where(truth > 0, shares, 1 - shares)
    return _ratio(weights @ -np.log(np.maximum(sure, SMALLEST)), weights.sum(axis=1, keepdims=True))


def brier(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """Mean squared difference of probability and truth of each class."""
    return _ratio(weights @ (shares - truth) ** 2, weights.sum(axis=1, keepdims=True))


def calibration_exclusive(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """Expected calibration error of the called class: confidence against how often it is right."""
    sure = shares.max(axis=1)
    right = np.sum(_called(shares) * truth, axis=1)
    return np.repeat(_calibration(sure, right, weights)[:, None], truth.shape[1], axis=1)


def calibration_several(shares: Floats, truth: Floats, weights: Floats) -> Floats:
    """Expected calibration error of each class."""
    pairs = zip(shares.T, truth.T, strict=True)
    return np.stack([_calibration(share, wanted, weights) for share, wanted in pairs], axis=1)


EXCLUSIVE: Mapping[str, Measure] = {
    "auroc": auroc,
    "average-precision": average_precision,
    "balanced-accuracy": recall,
    "accuracy": accuracy,
    "f1": f1_exclusive,
    "log-loss": log_loss_exclusive,
    "brier": brier,
    "calibration-error": calibration_exclusive,
}
SEVERAL: Mapping[str, Measure] = {
    "auroc": auroc,
    "average-precision": average_precision,
    "balanced-accuracy": balance,
    "accuracy": agreement,
    "f1": f1_several,
    "log-loss": log_loss_several,
    "brier": brier,
    "calibration-error": calibration_several,
}
POSITIVE = ("auroc", "average-precision")
"""Of two exclusive classes only the second is measured: it is the one that is looked for."""


def measured(name: str, shares: Floats, truth: Floats, weights: Floats, *, several: bool) -> Floats:
    """Return a row per set with a value per class that counts.

    Raises:
        KeyError: there is no such metric.
    """
    found = (SEVERAL if several else EXCLUSIVE)[name](shares, truth, weights)
    alone = name in POSITIVE and not several and truth.shape[1] == 2
    return found[:, 1:] if alone else found


def macro(values: Floats) -> Floats:
    """Return the mean over the classes that have a value; NaN where none has."""
    defined = np.isfinite(values)
    total = np.sum(np.where(defined, values, 0.0), axis=1)
    return _ratio(total, defined.sum(axis=1).astype(np.float64))


def _called(shares: Floats) -> Floats:
    """Return 1 at the most probable class of each case, the first of equals."""
    called = np.zeros_like(shares)
    called[np.arange(len(shares)), shares.argmax(axis=1)] = 1
    return called


def _by_score(share: Floats, wanted: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the weight of positives and negatives at each distinct score, scores rising."""
    order = np.argsort(share, kind="stable")
    starts = np.flatnonzero(np.diff(share[order], prepend=np.nan) != 0)
    sorted_weights = weights[:, order]
    positive = np.add.reduceat(sorted_weights * wanted[order], starts, axis=1)
    negative = np.add.reduceat(sorted_weights * (1 - wanted[order]), starts, axis=1)
    return positive, negative


def _calibration(sure: Floats, right: Floats, weights: Floats) -> Floats:
    place = np.minimum((sure * BINS).astype(np.intp), BINS - 1)
    member = (place[:, None] == np.arange(BINS)).astype(np.float64)
    gap = np.abs(weights @ (member * (right - sure)[:, None]))
    return _ratio(gap.sum(axis=1), weights.sum(axis=1))


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)


__all__ = ["EXCLUSIVE", "SEVERAL", "macro", "measured"]
