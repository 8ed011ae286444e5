"""Models that do not look at the image: empty, the most frequent label, the mean shape.

Each learns from the labels of a fold's fit cases only and predicts that fold's validation cases.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from amid.documents import Case, Fold
from amid.kinds.segmentation.labels import BACKGROUND, IGNORED, foreground, read_label
from amid.kinds.segmentation.metrics.overlap import Labels
from amid.kinds.segmentation.scores import Table
from amid.review.measure.inputs import Inputs

Null = Literal["empty", "majority", "mean-shape"]

NULLS: tuple[Null, ...] = ("empty", "majority", "mean-shape")

GRID = 48
"""Places per axis of the common grid, whatever the images' sizes."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What a fold's fit labels say without any image."""

    most_frequent: int
    """The foreground label with the most voxels."""
    shape: NDArray[np.int64]
    """On the common grid: a label for each relative position."""


class Counts:
    """Sums over the fit labels of one fold."""

    def __init__(self, numbers: Sequence[int], dimensions: int) -> None:
        self._numbers = numbers
        self._grid = np.zeros((len(numbers), *(GRID,) * dimensions), dtype=np.int64)
        self._cases = 0
        self._fraction = 0.0
        self._voxels = np.zeros(len(numbers), dtype=np.int64)

    def add(self, label: Labels, small: Labels) -> None:
        """Add one label, whole and on the common grid."""
        for place, number in enumerate(self._numbers):
            self._grid[place] += small == number
            self._voxels[place] += int(np.count_nonzero(label == number))

        inside = np.isin(label, self._numbers)
        known = np.count_nonzero(label != IGNORED)
        self._fraction += float(np.count_nonzero(inside)) / max(1, int(known))
        self._cases += 1

    def learned(self) -> Learned:
        """Return the null models' parameters.

        The mean shape holds the places that are foreground most often, as many as the labels have
        on average, so that a rare target is not predicted as nothing.
        """
        shape = np.full(self._grid.shape[1:], BACKGROUND, dtype=np.int64)
        most = self._numbers[int(np.argmax(self._voxels))]
        if not self._cases:
            return Learned(most, shape)

        often = self._grid.sum(axis=0).ravel()
        wanted = round(self._fraction / self._cases * often.size)
        chosen = np.argsort(-often, kind="stable")[:wanted]
        chosen = chosen[often[chosen] > 0]
        which = np.argmax(self._grid.reshape(len(self._numbers), -1)[:, chosen], axis=0)
        shape.ravel()[chosen] = np.asarray(self._numbers, dtype=np.int64)[which]
        return Learned(most, shape)


def predict(null: Null, learned: Learned, case: Case) -> Labels:
    """Return a null model's prediction on the grid of a case."""
    geometry = case.images[0].geometry
    size = geometry.size[::-1]
    if null == "empty":
        return np.full(size, BACKGROUND, dtype=np.int64)

    if null == "majority":
        return np.full(size, learned.most_frequent, dtype=np.int64)

    turn = _canonical(geometry.direction, len(size))
    there = resampled(learned.shape, tuple(size[axis] for axis, _ in turn))
    return _undo(there, turn)


def resampled(array: Labels, size: tuple[int, ...]) -> Labels:
    """Take the nearest value by relative position, axis by axis."""
    index = [
        np.minimum(((np.arange(new) + 0.5) * old / new).astype(np.intp), old - 1)
        for new, old in zip(size, array.shape, strict=True)
    ]
    taken: Labels = array[np.ix_(*index)]
    return taken


def score_nulls(inputs: Inputs) -> list[tuple[str, Table]]:
    """Score every null model over the validation cases of all folds."""
    rules, split = inputs.rules, inputs.split
    cases = inputs.cases
    learned = _learn(inputs, cases)
    only = (rules.primary,)
    tables = {null: Table(null, "validation", rules, split.group_of, only) for null in NULLS}
    for fold in split.folds:
        for name in fold.validation:
            reference = read_label(inputs.run, cases[name], inputs.rules.ignore)
            if reference is None:
                continue

            for null, table in tables.items():
                guess = predict(null, learned[fold.fold], cases[name])
                table.add(cases[name], fold.fold, reference, [guess])

    return list(tables.items())


def _learn(inputs: Inputs, cases: Mapping[str, Case]) -> dict[str, Learned]:
    """Read every fit label once and hand it to the folds it belongs to."""
    numbers = list(foreground(inputs.rules.labels).values())
    folds = inputs.split.folds
    sample = next(iter(cases.values()))
    dimensions = len(sample.images[0].geometry.size)
    counts = {fold.fold: Counts(numbers, dimensions) for fold in folds}
    for name in sorted({name for fold in folds for name in fold.fit}):
        label = read_label(inputs.run, cases[name], inputs.rules.ignore)
        if label is None:
            continue

        turn = _canonical(cases[name].images[0].geometry.direction, dimensions)
        small = resampled(_do(label, turn), (GRID,) * dimensions)
        for fold in _with(folds, name):
            counts[fold.fold].add(label, small)

    return {fold: found.learned() for fold, found in counts.items()}


def _with(folds: Sequence[Fold], case: str) -> list[Fold]:
    return [fold for fold in folds if case in fold.fit]


def _canonical(direction: Sequence[float], n: int) -> list[tuple[int, bool]]:
    """Return, for each array axis of the anatomical frame, its array axis here and if reversed."""
    matrix = np.asarray(direction, dtype=np.float64).reshape(n, n)
    free = list(range(n))
    turn = []
    for row in range(n):
        axis = max(free, key=lambda k: (abs(matrix[row, k]), -k))
        free.remove(axis)
        turn.append((n - 1 - axis, bool(matrix[row, axis] < 0)))

    return turn[::-1]


def _do(array: Labels, turn: Sequence[tuple[int, bool]]) -> Labels:
    moved = array.transpose([axis for axis, _ in turn])
    return np.flip(moved, tuple(k for k, (_, back) in enumerate(turn) if back))


def _undo(array: Labels, turn: Sequence[tuple[int, bool]]) -> Labels:
    turned = np.flip(array, tuple(k for k, (_, back) in enumerate(turn) if back))
    return turned.transpose(np.argsort([axis for axis, _ in turn]).tolist())


__all__ = ["NULLS", "Counts", "Learned", "predict", "resampled", "score_nulls"]
