"""Hidden classes, read from the vault: 1 at a case's classes, in the order of their numbers."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from amid.documents import Case
from amid.kinds.classification import words
from amid.review.measure.inputs import InputWrong, Rules


def read_classes(run: Path, case: Case, rules: Rules) -> NDArray[np.float64] | None:
    """Return the hidden classes of a case; None when the task has none for it.

    Raises:
        InputWrong: the vault's file is missing or broken, or names another class.
    """
    if case.label == "missing":
        return None

    path = run / "vault" / "labels" / f"{case.case}{case.label_suffix}"
    try:
        names = words.read(path.read_bytes())
        places = [rules.labels[name] for name in names]
    except (OSError, ValueError, KeyError) as trouble:
        raise InputWrong(f"vault: {path.name} cannot be read: {trouble}") from trouble

    truth = np.zeros(len(rules.labels))
    truth[places] = 1
    return truth


__all__ = ["read_classes"]
