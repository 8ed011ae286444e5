"""Looks at one case while it is decoded: finds defects, keeps the numbers a profile needs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from amid.data.image import Volume, corners
from amid.data.raw import Defect, not_finite
from amid.documents import Geometry
from amid.profile.place import Place

SHIFT = 0.1
"""How far, in voxels, a corner of the label may lie from the image's."""
_WILD = 100
"""Values so many times the range of 98 % of the voxels beyond it are no part of the picture."""
_SQUARED = 1e100


@dataclass(frozen=True, slots=True)
class Intensity:
    """Grey values of one channel of one case."""

    low: float
    p01: float
    p50: float
    p99: float
    high: float
    mean: float
    sd: float

    @property
    def constant(self) -> bool:
        """Return whether every voxel has the same value."""
        return self.low == self.high

    @property
    def reach(self) -> float:
        """Return the value that lies farthest from the range of 98 % of the voxels."""
        return self.high if self.high - self.p99 >= self.p01 - self.low else self.low

    @property
    def wild(self) -> bool:
        """Return whether single values lie so far out that a mean would follow them."""
        beyond = max(self.high - self.p99, self.p01 - self.low)
        return beyond > _WILD * (self.p99 - self.p01) > 0


@dataclass(frozen=True, slots=True)
class Measured:
    """What one case showed while it was read."""

    case: str
    split: str
    intensity: Mapping[str, Intensity]
    """Channel to grey values."""
    places: Mapping[str, Place]
    """Channel to where its image says that it lies."""
    label: object
    """What the kind of task keeps of the label; None where there is none."""


def image_defect(volume: Volume, dimensions: int, components: tuple[int, ...]) -> Defect | None:
    """Return what makes an image unusable, or None."""
    rank = len(volume.geometry.size)
    if rank != dimensions:
        says = f"has {rank} dimensions, task.toml says {dimensions}"
        return Defect("dimensions", says, "give one file per channel and time point")

    if volume.geometry.components not in components:
        says = f"holds {volume.geometry.components} numbers in one place"
        return Defect("components", says, "give one file per channel and time point")

    if volume.voxels.dtype.kind not in "iuf":
        says = f"holds {volume.geometry.pixel}"
        return Defect("pixel", says, "write real or whole numbers")

    if volume.voxels.dtype.kind == "f":
        return not_finite(volume.voxels)

    return None


def intensity(volume: Volume) -> Intensity:
    """Return the grey values of a finite image."""
    voxels = volume.voxels
    low, p01, p50, p99, high = map(float, np.percentile(voxels, (0, 1, 50, 99, 100)))
    most = max(abs(low), abs(high))
    scale = most if most > _SQUARED else 1.0  # of which the square is no number any more
    mean = float(np.mean(voxels / scale if scale != 1 else voxels, dtype=np.float64)) * scale
    sd = float(np.std(voxels / scale if scale != 1 else voxels, dtype=np.float64)) * scale
    return Intensity(low=low, p01=p01, p50=p50, p99=p99, high=high, mean=mean, sd=sd)


def grid_defect(label: Geometry, image: Geometry) -> Defect | None:
    """Return how a label's grid differs from its image's, or None."""
    if label.size != image.size:
        says = f"has size {_size(label)}, its image {_size(image)}"
        return Defect(
            "label-geometry", says, "resample the label to the image, or correct the path"
        )

    distance = np.linalg.norm(corners(label) - corners(image), axis=1).max()
    voxels = float(distance) / min(image.spacing)
    if voxels > SHIFT:
        says = f"has a corner {distance:.2f} mm ({voxels:.2f} voxels) from that of its image"
        return Defect(
            "label-geometry", says, "resample the label to the image, or correct the header"
        )

    return None


def _size(geometry: Geometry) -> str:
    return "×".join(map(str, geometry.size))


__all__ = [
    "SHIFT",
    "Intensity",
    "Measured",
    "grid_defect",
    "image_defect",
    "intensity",
]
