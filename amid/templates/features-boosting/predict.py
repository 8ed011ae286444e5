"""Gives every case of the view the probability of each class."""

from collections.abc import Mapping

import numpy as np
from cases import MODEL, Floats, read_view, write_predictions
from features import describe
from numpy.typing import NDArray


def main() -> None:
    """Predict every case of the view."""
    view = read_view()

    with np.load(MODEL / "model.npz") as kept:
        table = np.stack([describe(case) for case in view.cases])
        scores = [score(table, kept, place) for place in range(len(view.names))]

    share = 1 / (1 + np.exp(-np.stack(scores, axis=1)))

    if not view.several:
        share /= share.sum(axis=1, keepdims=True)

    write_predictions(view, view.cases, share.astype(np.float32))
    print(f"{len(view.cases)} cases predicted")


def score(
    table: Floats, kept: Mapping[str, NDArray[np.generic]], place: int
) -> NDArray[np.float64]:
    """Let every tree of one class speak about every case."""
    total = np.full(len(table), float(kept[f"start-{place}"]))

    if not len(kept[f"roots-{place}"]):
        return total

    feature, threshold = kept[f"feature-{place}"], kept[f"threshold-{place}"]
    left, right = kept[f"left-{place}"], kept[f"right-{place}"]
    value = kept[f"value-{place}"]
    rows = np.arange(len(table))

    for root in kept[f"roots-{place}"]:
        node = np.full(len(table), root)

        while np.any(feature[node] >= 0):
            inside = feature[node] >= 0
            small = table[rows, np.maximum(feature[node], 0)] <= threshold[node]
            node = np.where(inside, np.where(small, left[node], right[node]), node)

        total += value[node]

    return total


if __name__ == "__main__":
    main()
