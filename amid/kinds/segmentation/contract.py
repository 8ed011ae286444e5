"""What a contract of a segmentation may say."""

import re
from collections.abc import Iterator, Mapping

from amid.tasks.contract import Contract
from amid.tasks.kinds import Direction, Mistake

DIMENSIONS = (3,)
DEFAULTS: Mapping[str, Mapping[str, object]] = {}
LABEL_IS_FILE = True

_NSD = re.compile(r"nsd@(0\.[0-9]{0,3}[1-9]|[1-9][0-9]{0,2}(\.[0-9]{0,3}[1-9])?)mm")
_AVERAGES = ("macro-foreground-per-case",)
_EMPTY = ("one-if-both-empty",)
_SUFFIX = ".nii.gz"


def known() -> tuple[str, ...]:
    """Return the names of the metrics; `nsd@1mm` stands for any tolerance."""
    return tuple(sorted(_names()))


def direction(metric: str) -> Direction | None:
    """Return which way is better: `nsd@0.5mm` and `nsd@2mm` are known like `nsd@1mm`."""
    return _names().get("nsd@1mm" if _NSD.fullmatch(metric) else metric)


def is_share(metric: str) -> bool:
    """Return whether a metric lies between 0 and 1 and is to be large."""
    return direction(metric) == "maximize"


def mistakes(contract: Contract) -> Iterator[Mistake]:
    """Yield what is wrong in sections that mean something else for other kinds."""
    metric, labels = contract.metric, contract.labels
    if not labels:
        says = "is missing: a segmentation needs the number of each label"
        yield Mistake("labels", says, "write background = 0 and one line per label")
    elif labels.get("background") != 0:
        yield Mistake("labels:", "background = 0 is needed", "correct that key")
    elif not contract.foreground:
        says = "at least one label besides background is needed"
        yield Mistake("labels:", says, "correct that key")

    if contract.task.several:
        says = "= true is not possible: every voxel has one label"
        yield Mistake("task.several", says, "leave it out")

    yield from _not_of("metric.average", metric.average, _AVERAGES)
    yield from _not_of("metric.empty", metric.empty, _EMPTY)
    if not contract.submission.path.endswith(_SUFFIX):
        rule = "predictions are written as .nii.gz, and the path ends so"
        says = f'= "{contract.submission.path}" is not allowed: {rule}'
        yield Mistake("submission.path", says, "correct the value")


def label_mistake(contract: Contract, cell: str) -> str | None:
    """Return None: the cell is a path, and is checked as one."""
    del contract, cell
    return None


def _not_of(key: str, value: str, allowed: tuple[str, ...]) -> Iterator[Mistake]:
    if value not in allowed:
        listed = ", ".join(f'"{name}"' for name in allowed)
        yield Mistake(key, f'= "{value}" is not allowed', f"allowed: {listed}")


def _names() -> dict[str, Direction]:
    from amid.kinds.segmentation.metrics import (  # loads NumPy, which naming a kind does not need
        METRICS,
        metric,
    )

    return {each.name: each.direction for each in (*METRICS.values(), metric("nsd@1mm"))}


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
