"""What a contract and a profile say about the work ahead, in the few numbers that lanes need."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from amid.documents import Profile
from amid.tasks.contract import seconds

_HOLDOUT_GROUPS = 20
_FOLD_GROUPS = 5


@dataclass(frozen=True, slots=True)
class Work:
    """The expected sizes of one attempt. An estimate: the split is frozen elsewhere."""

    kind: str
    metric: str
    folds: int
    fit: int
    """Training cases, summed over folds."""
    predicted: int
    """Predicted cases, summed over folds."""
    channels: int
    """Images of a case that a model may read."""
    wall: int
    """Seconds that the contract gives to a run; the caller of a run may have said otherwise."""


def work(contract: bytes, profile: Profile) -> Work:
    """Estimate folds and cases from the validation scheme, by the rule for numbers of groups."""
    told = json.loads(contract)
    validation = _table(told, "validation")
    folds = _folds(str(validation.get("scheme", "auto")), _whole(validation, "folds", 5), profile)
    held = _share(validation, "fraction", 0.2) if folds == 1 else 1 / folds
    inner = round(_share(validation, "inner", 0.1) * profile.cases)
    judged = round(held * profile.cases)
    inputs = _table(told, "data").get("inputs", ())

    return Work(
        kind=str(_table(told, "task").get("kind", "")),
        metric=str(_table(told, "metric").get("primary", "")),
        folds=folds,
        fit=folds * max(1, profile.cases - judged - inner),
        predicted=folds * (judged + inner + profile.test),
        channels=max(1, len(inputs)) if isinstance(inputs, list) else 1,
        wall=seconds(str(_table(told, "budget").get("wall", "10m"))),
    )


def kind_of(contract: bytes) -> str:
    """Return the kind of a contract's task."""
    return str(_table(json.loads(contract), "task").get("kind", ""))


def _folds(scheme: str, asked: int, profile: Profile) -> int:
    if scheme == "holdout" or (scheme == "auto" and profile.groups >= _HOLDOUT_GROUPS):
        return 1

    if scheme == "leave-one-out" or profile.groups < _FOLD_GROUPS:
        return max(1, profile.groups)

    return asked


def _table(told: Mapping[str, object], name: str) -> Mapping[str, object]:
    table = told.get(name, {})

    return table if isinstance(table, dict) else {}


def _whole(table: Mapping[str, object], name: str, otherwise: int) -> int:
    value = table.get(name, otherwise)

    return value if isinstance(value, int) else otherwise


def _share(table: Mapping[str, object], name: str, otherwise: float) -> float:
    value = table.get(name, otherwise)

    return float(value) if isinstance(value, int | float) else otherwise


__all__ = ["Work", "kind_of", "work"]
