"""Volume overlap from one joint histogram: whole numbers until the last division."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.integer]
"""An array of label numbers."""


def joint_histogram(
    reference: Labels, prediction: Labels, labels: Sequence[int]
) -> NDArray[np.int64]:
    """Count voxels by (place of reference label, place of predicted label) in `labels`.

    Values outside `labels` go to one more row and column, the last.

    Raises:
        ValueError: the arrays differ in shape.
    """
    if reference.shape != prediction.shape:
        raise ValueError(
            f"reference is {reference.shape} and prediction {prediction.shape}: "
            "align the prediction to the image's grid before comparing voxels"
        )

    n = len(labels) + 1
    rows = _places(reference, labels)
    rows *= n
    rows += _places(prediction, labels)
    counts = np.bincount(rows.ravel(), minlength=n * n)
    return counts.reshape(n, n).astype(np.int64)


def dice_of(joint: NDArray[np.int64], place: int) -> float:
    """Return Dice of the label at `place`; the caller has seen to it that one side has voxels."""
    both = int(joint[place, place])
    total = int(joint[place, :].sum()) + int(joint[:, place].sum())
    return 2 * both / total


def _places(array: Labels, labels: Sequence[int]) -> NDArray[np.int64]:
    """Map label numbers to their place in `labels`; everything else to len(labels)."""
    other = len(labels)
    top = max(labels)

    if min(labels) >= 0 and top < 65_536:
        table = np.full(top + 2, other, dtype=np.int64)  # the last place: any other value
        for place, label in enumerate(labels):
            table[label] = place

        wide = array.astype(np.int64)
        wide[(wide < 0) | (wide > top)] = top + 1
        return table[wide]

    places = np.full(array.shape, other, dtype=np.int64)
    for place, label in enumerate(labels):
        places[array == label] = place

    return places
