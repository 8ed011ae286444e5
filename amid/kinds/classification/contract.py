"""What a contract of a classification may say, and how a class is written in the case table."""

from collections.abc import Iterator, Mapping

from amid.kinds.classification import words
from amid.tasks.contract import Contract
from amid.tasks.kinds import Direction, Mistake

DIMENSIONS = (2, 3)
DEFAULTS: Mapping[str, Mapping[str, object]] = {
    "task": {"dimensions": 2},
    "metric": {"average": "macro", "empty": "undefined"},
}
LABEL_IS_FILE = False

_METRICS: Mapping[str, Direction] = {
    "auroc": "maximize",
    "average-precision": "maximize",
    "balanced-accuracy": "maximize",
    "accuracy": "maximize",
    "f1": "maximize",
    "log-loss": "minimize",
    "brier": "minimize",
    "calibration-error": "minimize",
}
_AVERAGES = ("macro",)
_EMPTY = ("undefined",)


def known() -> tuple[str, ...]:
    """Return the names of the metrics."""
    return tuple(sorted(_METRICS))


def direction(metric: str) -> Direction | None:
    """Return which way is better."""
    return _METRICS.get(metric)


def is_share(metric: str) -> bool:
    """Return whether a metric lies between 0 and 1 and is to be large."""
    return direction(metric) == "maximize"


def mistakes(contract: Contract) -> Iterator[Mistake]:
    """Yield what is wrong in sections that mean something else for other kinds."""
    labels, several = contract.labels, contract.task.several
    if not labels:
        says = "is missing: a classification needs the number of each class"
        yield Mistake("labels", says, 'write one line per class: "no finding" = 0')
    elif sorted(labels.values()) != list(range(len(labels))):
        says = f"classes are numbered {_listed(labels)}; 0 to {len(labels) - 1} are needed"
        yield Mistake("labels:", says, "number them in the order of the submission's columns")
    elif len(labels) < 2 and not several:
        yield Mistake("labels:", "at least two classes are needed", "name the other class")

    odd = [name for name in labels if words.SEPARATOR in name or name == words.NONE]
    if odd:
        yield Mistake("labels:", f'"{odd[0]}" cannot name a class', "choose another name")

    if contract.validation.report_by:
        says = "is not possible: what is kept of a case tells no class, so no part is scored again"
        yield Mistake("validation.report_by", says, "leave it out")

    yield from _not_of("metric.average", contract.metric.average, _AVERAGES)
    yield from _not_of("metric.empty", contract.metric.empty, _EMPTY)


def label_mistake(contract: Contract, cell: str) -> str | None:
    """Return what is wrong with a cell that names classes."""
    return words.mistake(cell, contract.labels, several=contract.task.several)


def _not_of(key: str, value: str, allowed: tuple[str, ...]) -> Iterator[Mistake]:
    if value not in allowed:
        listed = ", ".join(f'"{name}"' for name in allowed)
        yield Mistake(key, f'= "{value}" is not allowed', f"allowed: {listed}")


def _listed(labels: Mapping[str, int]) -> str:
    return ", ".join(str(number) for number in sorted(labels.values()))


__all__ = [
    "DEFAULTS",
    "DIMENSIONS",
    "LABEL_IS_FILE",
    "direction",
    "is_share",
    "known",
    "label_mistake",
    "mistakes",
]
