"""Learns many small decision trees on the features, each from what the ones before got wrong.

The trees are kept as plain numbers, so that nothing has to be unpickled to use them.
"""

import numpy as np
from cases import OUT, SEED, Floats, params, read_view, targets
from features import describe
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier

Trees = dict[str, NDArray[np.generic]]


def main() -> None:
    """Train on the cases to fit and write the trees."""
    view = read_view()
    table = np.stack([describe(case) for case in view.fit])
    truth = targets(view, view.fit)
    kept: Trees = {}

    for place, column in enumerate(truth.T):
        kept |= {f"{name}-{place}": value for name, value in grown(table, column).items()}

    OUT.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(OUT / "model.npz", **kept)  # type: ignore[arg-type]
    print(f"{len(table)} cases, {table.shape[1]} features")


def grown(table: Floats, column: Floats) -> Trees:
    """Return the trees that tell the cases of one class from all others."""
    chosen = params()
    start = float(np.clip(column.mean(), 1e-6, 1 - 1e-6))
    found: Trees = {"start": np.asarray(np.log(start / (1 - start)))}

    if not 0 < column.sum() < len(column):
        return found | {"roots": np.zeros(0, np.int32)}

    model = GradientBoostingClassifier(
        n_estimators=int(chosen["trees"]),
        max_depth=int(chosen["depth"]),
        learning_rate=float(chosen["rate"]),
        subsample=0.7,
        max_features="sqrt",
        random_state=SEED % 2**32,
    ).fit(table, column)
    trees = [row[0].tree_ for row in model.estimators_]
    sizes = [tree.node_count for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]]).astype(np.int32)
    left = [tree.children_left + root for tree, root in zip(trees, roots, strict=True)]
    right = [tree.children_right + root for tree, root in zip(trees, roots, strict=True)]

    return found | {
        "roots": roots,
        "feature": np.concatenate([tree.feature for tree in trees]).astype(np.int32),
        "threshold": np.concatenate([tree.threshold for tree in trees]),
        "left": np.concatenate(left).astype(np.int32),
        "right": np.concatenate(right).astype(np.int32),
        "value": np.concatenate([tree.value[:, 0, 0] for tree in trees]) * float(chosen["rate"]),
    }


if __name__ == "__main__":
    main()
