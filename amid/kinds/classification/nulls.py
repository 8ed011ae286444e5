"""Models that do not look at the image: how frequent classes are, and what files say of themselves.

Each learns from the fit cases of a fold only and answers for that fold's validation cases.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from amid.data.vault import Vault
from amid.documents import Case, Fold
from amid.kinds.classification.labels import read_classes
from amid.kinds.classification.scores import Table
from amid.review.measure.inputs import Inputs

Floats = NDArray[np.float64]
Model = Callable[[Sequence[Case]], Floats]
"""From cases to a row of probabilities for each."""


def score_nulls(inputs: Inputs) -> list[tuple[str, Table]]:
    """Score every null model over the validation cases of all folds."""
    rules, split = inputs.rules, inputs.split
    tables = {
        name: Table(name, "validation", rules, split.group_of)
        for name in ("prevalence", "majority", "file-and-header")
    }
    sizes = _sizes(inputs.run)

    for fold in split.folds:
        judged = [inputs.cases[case] for case in fold.validation]
        truths = {c.case: read_classes(inputs.run, c, rules) for c in judged}
        judged = [case for case in judged if truths[case.case] is not None]
        for name, model in _learned(inputs, fold, sizes).items():
            answers = model(judged) if judged else np.zeros((0, len(rules.labels)))
            for case, answer in zip(judged, answers, strict=True):
                truth = truths[case.case]
                if truth is not None:
                    tables[name].add(case, fold.fold, truth, [answer])

    return list(tables.items())


def _learned(inputs: Inputs, fold: Fold, sizes: dict[str, float]) -> dict[str, Model]:
    """Return the null models of a fold."""
    cases = [inputs.cases[case] for case in fold.fit]
    known = [(case, read_classes(inputs.run, case, inputs.rules)) for case in cases]
    fit = [(case, truth) for case, truth in known if truth is not None]
    truth = np.stack([one for _, one in fit])
    rate = truth.mean(axis=0)
    several = inputs.rules.several
    called = (rate >= 0.5).astype(np.float64) if several else np.eye(len(rate))[rate.argmax()]

    def described(cases: Sequence[Case]) -> Floats:
        return np.stack([_said(case, sizes) for case in cases])

    return {
        "prevalence": lambda judged: np.tile(rate, (len(judged), 1)),
        "majority": lambda judged: np.tile(called, (len(judged), 1)),
        "file-and-header": _logistic(described, [case for case, _ in fit], truth, several=several),
    }


def _said(case: Case, sizes: dict[str, float]) -> Floats:
    """Return what a case's files say of themselves: bytes, size, spacing, place and type."""
    numbers: list[float] = [sizes.get(case.case, 0.0)]
    for image in case.images:
        grid = image.geometry
        numbers += [*grid.size, *grid.spacing, *grid.origin, float(grid.components)]
        numbers.append(float(len(grid.pixel)))

    return np.asarray(numbers, np.float64)


def _sizes(run: Path) -> dict[str, float]:
    """Return the logarithm of the bytes of each case's images, where the data are still there."""
    aliases = Vault.open(run / "vault").aliases()
    found: dict[str, float] = {}
    for case in aliases.cases:
        try:
            total = sum((Path(aliases.data) / path).stat().st_size for path in case.images.values())
        except OSError:
            continue

        found[case.alias] = float(np.log(max(1, total)))

    return found


def _logistic(
    described: Callable[[Sequence[Case]], Floats],
    cases: Sequence[Case],
    truth: Floats,
    *,
    several: bool,
) -> Model:
    """Learn a weight per number; a class that all cases have, or none, keeps its rate."""
    from sklearn.linear_model import LogisticRegression

    table = described(cases)
    mean, spread = table.mean(axis=0), table.std(axis=0)
    spread = np.where(spread > 1e-12, spread, 1.0)
    models = [
        LogisticRegression(max_iter=1000).fit((table - mean) / spread, column)
        if 0 < column.sum() < len(column)
        else None
        for column in truth.T
    ]

    def answer(judged: Sequence[Case]) -> Floats:
        even = (described(judged) - mean) / spread
        columns = [
            np.full(len(judged), column.mean())
            if model is None
            else model.predict_proba(even)[:, 1]
            for model, column in zip(models, truth.T, strict=True)
        ]
        share = np.stack(columns, axis=1)
        return share if several else share / share.sum(axis=1, keepdims=True)

    return answer


__all__ = ["score_nulls"]
