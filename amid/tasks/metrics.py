"""Which metric names a contract may use, for which kind of task, and which direction is better."""

import re
from typing import Literal

Direction = Literal["maximize", "minimize"]

_OTHERS: dict[str, dict[str, Direction]] = {  # kinds that can be described, but not yet scored
    "instance-segmentation": {"f1": "maximize", "dice": "maximize"},
    "detection": {"map": "maximize", "f1": "maximize"},
    "point-detection": {"f1": "maximize"},
    "classification": {"auc": "maximize", "accuracy": "maximize", "f1": "maximize"},
    "regression": {"mae": "minimize", "rmse": "minimize", "spearman": "maximize"},
    "enhancement": {"psnr": "maximize", "ssim": "maximize", "mae": "minimize"},
    "graph-classification": {"auc": "maximize", "accuracy": "maximize", "f1": "maximize"},
}
_NSD = re.compile(r"nsd@(0\.[0-9]{0,3}[1-9]|[1-9][0-9]{0,2}(\.[0-9]{0,3}[1-9])?)mm")


def known(kind: str) -> tuple[str, ...]:
    """Return the metric names of one kind of task, as an error message lists them."""
    return tuple(sorted(_names(kind)))


def direction(kind: str, metric: str) -> Direction | None:
    """Return which way is better, or None where the kind does not know the metric.

    `nsd@1mm` stands for any tolerance: `nsd@0.5mm`, `nsd@2mm`.
    """
    if kind == "segmentation" and _NSD.fullmatch(metric):
        metric = "nsd@1mm"

    return _names(kind).get(metric)


def _names(kind: str) -> dict[str, Direction]:
    if kind != "segmentation":
        return _OTHERS[kind]

    from amid.metrics import METRICS, metric  # loads NumPy, which naming a kind does not need

    return {each.name: each.direction for each in (*METRICS.values(), metric("nsd@1mm"))}


__all__ = ["Direction", "direction", "known"]
