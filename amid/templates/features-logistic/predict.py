"""Gives every case of the view the probability of each class."""

import numpy as np
from cases import MODEL, read_view, write_predictions
from features import describe


def main() -> None:
    """Predict every case of the view."""
    view = read_view()

    with np.load(MODEL / "model.npz") as kept:
        table = np.stack([describe(case) for case in view.cases])
        even = (table - kept["mean"]) / kept["spread"]
        score = even @ kept["weights"].T + kept["offsets"]

    if view.several:
        share = 1 / (1 + np.exp(-score))
    else:
        share = np.exp(score - score.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)

    write_predictions(view, view.cases, share.astype(np.float32))
    print(f"{len(view.cases)} cases predicted")


if __name__ == "__main__":
    main()
