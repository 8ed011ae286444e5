"""Learns a weight per feature: logistic regression on standardised features."""

import numpy as np
from cases import OUT, Floats, params, read_view, targets
from features import describe
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

Numbers = NDArray[np.float64]


def main() -> None:
    """Train on the cases to fit and write the model as plain numbers."""
    view = read_view()
    table = np.stack([describe(case) for case in view.fit])
    truth = targets(view, view.fit)
    mean, spread = table.mean(axis=0), table.std(axis=0)
    even = (table - mean) / np.where(spread > 0, spread, 1)
    strength = float(params()["strength"])

    if view.several:
        weights, offsets = _each(even, truth, strength)
    else:
        weights, offsets = _one(even, truth, strength)

    OUT.mkdir(parents=True, exist_ok=True)
    np.savez(
        OUT / "model.npz",
        mean=mean.astype(np.float32),
        spread=np.where(spread > 0, spread, 1).astype(np.float32),
        weights=weights.astype(np.float32),
        offsets=offsets.astype(np.float32),
    )
    print(f"{len(table)} cases, {table.shape[1]} features, strength {strength:g}")


def _one(even: Floats, truth: Floats, strength: float) -> tuple[Numbers, Numbers]:
    """Return weights and offsets of classes of which every case has exactly one."""
    model = LogisticRegression(C=strength, max_iter=2000)
    model.fit(even, truth.argmax(axis=1))
    weights = np.zeros((truth.shape[1], even.shape[1]))
    offsets = np.full(truth.shape[1], -30.0)  # of a class that no case shows

    if len(model.classes_) == 2:  # one row stands for both
        weights[model.classes_] = np.concatenate([-model.coef_, model.coef_]) / 2
        offsets[model.classes_] = np.concatenate([-model.intercept_, model.intercept_]) / 2
    else:
        weights[model.classes_] = model.coef_
        offsets[model.classes_] = model.intercept_

    return weights, offsets


def _each(even: Floats, truth: Floats, strength: float) -> tuple[Numbers, Numbers]:
    """Return weights and offsets of classes that each case has or has not."""
    weights = np.zeros((truth.shape[1], even.shape[1]))
    offsets = np.zeros(truth.shape[1])

    for place, column in enumerate(truth.T):
        if 0 < column.sum() < len(column):
            model = LogisticRegression(C=strength, max_iter=2000).fit(even, column)
            weights[place], offsets[place] = model.coef_[0], model.intercept_[0]
        else:
            offsets[place] = 30.0 if column.all() else -30.0

    return weights, offsets


if __name__ == "__main__":
    main()
