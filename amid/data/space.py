"""Grids in physical space, compared by where their corners lie."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product

TOLERANCE = 0.1
"""Voxels of the image by which a corner may be off: what file formats lose by rounding is less."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A voxel grid: x first, millimetres, LPS, direction row by row."""

    size: tuple[int, ...]
    spacing: tuple[float, ...]
    origin: tuple[float, ...]
    direction: tuple[float, ...]

    def at(self, index: tuple[float, ...]) -> tuple[float, ...]:
        """Return the position of a voxel index, mm."""
        n = len(self.size)
        steps = [i * step for i, step in zip(index, self.spacing, strict=True)]
        return tuple(
            self.origin[row] + sum(self.direction[row * n + k] * steps[k] for k in range(n))
            for row in range(n)
        )


@dataclass(frozen=True, slots=True)
class Alignment:
    """How a prediction's axes become the image's: `axes[i]` plays image axis i, maybe reversed."""

    axes: tuple[int, ...]
    reversed: tuple[bool, ...]

    @property
    def same(self) -> bool:
        """True when nothing has to be moved."""
        return self.axes == tuple(range(len(self.axes))) and not any(self.reversed)


def displacement(image: Grid, prediction: Grid, how: Alignment | None = None) -> float:
    """Return the largest distance of corresponding outer corners, in voxels of the image.

    Infinite when the sizes do not correspond or a number is not finite.
    """
    n = len(image.size)
    if len(prediction.size) != n:
        return math.inf

    how = how or Alignment(tuple(range(n)), (False,) * n)
    if any(prediction.size[how.axes[i]] != image.size[i] for i in range(n)):
        return math.inf

    worst = max(_off(image, prediction, how, sides) for sides in product((0, 1), repeat=n))
    return worst if math.isfinite(worst) else math.inf


def alignment(image: Grid, prediction: Grid) -> Alignment | None:
    """Return how to lay the prediction onto the image's grid; None when no way fits."""
    n = len(image.size)
    if sorted(image.size) != sorted(prediction.size):
        return None

    for how in _ways(n):
        if displacement(image, prediction, how) <= TOLERANCE:
            return how

    return None


def _ways(n: int) -> Iterator[Alignment]:
    """Yield every order and reversal of axes, the identity first."""
    for axes in permutations(range(n)):
        for turned in product((False, True), repeat=n):
            yield Alignment(axes, turned)


def _off(image: Grid, prediction: Grid, how: Alignment, sides: tuple[int, ...]) -> float:
    """Return the distance of one corner from where it should be, in voxels of the image."""
    n = len(image.size)
    here = tuple(side * size - 0.5 for side, size in zip(sides, image.size, strict=True))
    there = [0.0] * n
    for i in range(n):
        axis = how.axes[i]
        side = 1 - sides[i] if how.reversed[i] else sides[i]
        there[axis] = side * prediction.size[axis] - 0.5

    one, two = image.at(here), prediction.at(tuple(there))
    gap = [a - b for a, b in zip(one, two, strict=True)]
    along = [
        sum(image.direction[row * n + i] * gap[row] for row in range(n)) / image.spacing[i]
        for i in range(n)
    ]
    return math.sqrt(sum(step * step for step in along))
