"""Masks for metric tests: random blobs and real labels."""

from pathlib import Path
from typing import Any

import numpy as np
import SimpleITK
from numpy.typing import NDArray

itk: Any = SimpleITK
Mask = NDArray[np.bool_]


def smooth(noise: NDArray[np.float64], rounds: int) -> NDArray[np.float64]:
    """Blur by neighbour means, so that masks are blobs and not salt."""
    for _ in range(rounds):
        for axis in range(noise.ndim):
            noise = (noise + np.roll(noise, 1, axis) + np.roll(noise, -1, axis)) / 3

    return noise


def blob_pair(seed: int, shape: tuple[int, ...]) -> tuple[Mask, Mask]:
    """Return two different masks with voxels that overlap in part."""
    rng = np.random.RandomState(seed)
    base = smooth(rng.normal(size=shape), 4)
    other = base + 0.5 * smooth(rng.normal(size=shape), 4)
    cut = float(np.quantile(base, 0.7))
    return base > cut, other > cut


def real_mask(path: Path, label: int | None = None) -> tuple[Mask, tuple[float, ...]]:
    """Return a label of a file (or everything above 0) and the spacing in array order."""
    image = itk.ReadImage(str(path))
    array = itk.GetArrayFromImage(image)
    mask: Mask = array == label if label is not None else array > 0
    return mask, tuple(image.GetSpacing())[::-1]


def moved(mask: Mask, axis: int, by: int) -> Mask:
    """Shift a mask and cut a slice off, so that it is worse in two ways."""
    other = np.roll(mask, by, axis)
    first = int(np.argwhere(other)[0][0])
    other[first] = False
    return other
