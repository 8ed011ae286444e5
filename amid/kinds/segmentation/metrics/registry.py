"""The metrics by name: which way is better, in what unit, and how one label is measured."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from amid.kinds.segmentation.metrics.surface import (
    Floats,
    Mask,
    Surfels,
    border_distances,
    percentile_95,
    surfels,
)

Direction = Literal["maximize", "minimize"]

ROUNDING = 1e-9
"""Millimetres: a distance that equals the tolerance (0.7, 2.4 and 2.5 make a right triangle) must
not be decided by the last bit of a square root."""


class Pair:
    """One label in reference and prediction, both with voxels; what metrics share is kept."""

    def __init__(
        self, reference: Mask, prediction: Mask, spacing: Sequence[float], *, dice: float
    ) -> None:
        self.dice = dice
        self._masks = (reference, prediction)
        self._spacing = spacing
        self._borders: tuple[Floats, Floats] | None = None
        self._surfels: Surfels | None = None

    @property
    def borders(self) -> tuple[Floats, Floats]:
        """Directed distances of border voxels, mm."""
        if self._borders is None:
            self._borders = border_distances(*self._masks, self._spacing)

        return self._borders

    @property
    def surfels(self) -> Surfels:
        """Area-weighted surface elements with their distances, mm."""
        if self._surfels is None:
            self._surfels = surfels(*self._masks, self._spacing)

        return self._surfels


@dataclass(frozen=True, slots=True)
class Metric:
    """How one label of one case is measured."""

    name: str
    direction: Direction
    unit: str
    """`1` for a fraction, `mm` for a distance."""
    perfect: float
    """The value when reference and prediction are equal and not empty."""
    missed: float | Literal["diagonal"]
    """The value when exactly one side is empty; `diagonal` is that of the image in mm."""
    function: Callable[[Pair], float]
    says: str

    @property
    def within(self) -> tuple[float | None, float | None]:
        """The least and the greatest value there can be: a distance has no greatest one."""
        return (0.0, None if self.unit == "mm" else 1.0)


def _hd95(pair: Pair) -> float:
    return float(max(np.percentile(side, 95) for side in pair.borders))


def _hd95_surfel(pair: Pair) -> float:
    found = pair.surfels
    return max(
        percentile_95(found.reference, found.reference_area),
        percentile_95(found.prediction, found.prediction_area),
    )


def _nsd(tolerance: float) -> Callable[[Pair], float]:
    def measure(pair: Pair) -> float:
        found = pair.surfels
        near = math.fsum(found.reference_area[found.reference <= tolerance + ROUNDING])
        near += math.fsum(found.prediction_area[found.prediction <= tolerance + ROUNDING])
        whole = math.fsum(found.reference_area) + math.fsum(found.prediction_area)
        return near / whole  # fsum: the same bytes on every machine

    return measure


METRICS: dict[str, Metric] = {
    "dice": Metric(
        "dice",
        "maximize",
        "1",
        1.0,
        0.0,
        lambda pair: pair.dice,
        "twice the common voxels over the voxels of both, from one joint histogram",
    ),
    "hd95": Metric(
        "hd95",
        "minimize",
        "mm",
        0.0,
        "diagonal",
        _hd95,
        "the larger of the two directed 95th percentiles of distances between border voxels",
    ),
    "hd95.surfel": Metric(
        "hd95.surfel",
        "minimize",
        "mm",
        0.0,
        "diagonal",
        _hd95_surfel,
        "the same over area-weighted surface elements, as surface-distance computes it",
    ),
}
"""Metrics with a fixed name; `nsd@<tolerance>mm` is made by `metric`."""

_NSD = re.compile(r"^nsd@([0-9]+(?:\.[0-9]+)?)mm$")


def metric(name: str) -> Metric:
    """Return the metric called `name`.

    Raises:
        KeyError: there is no such metric; the message lists those there are.
    """
    if name in METRICS:
        return METRICS[name]

    found = _NSD.match(name)
    if found and float(found.group(1)) > 0:
        return Metric(
            name,
            "maximize",
            "1",
            1.0,
            0.0,
            _nsd(float(found.group(1))),
            f"share of both surfaces within {found.group(1)} mm of the other, by area",
        )

    raise KeyError(f"no metric is called {name!r}: there are {', '.join(METRICS)}, nsd@<mm>mm")
