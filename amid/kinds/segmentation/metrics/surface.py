"""Distances between two surfaces, in mm, on a crop around both masks.

Two definitions of a surface live here, and they give different numbers on the same masks:

- *borders*: foreground voxels with a background face neighbour (MONAI, medpy), each counting one;
- *surfels*: the marching-cubes elements between eight voxels, weighted by area, with the tables of
  the package surface-distance.

Both masks must have voxels: what happens otherwise is a convention, not a distance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

PAIRS = 200_000
"""Up to this many pairs of points all distances are cheaper than a tree, and scipy (half a second
to import) is not needed. A rule on sizes alone, so equal masks give equal bytes."""


@dataclass(frozen=True, slots=True)
class Surfels:
    """Surface elements of two masks: distance to the other surface and area, one pair per side."""

    reference: Floats
    reference_area: Floats
    prediction: Floats
    prediction_area: Floats


def crop(reference: Mask, prediction: Mask) -> tuple[Mask, Mask]:
    """Cut both masks to the box that holds every voxel of either."""
    either = reference | prediction
    box = []
    for axis in range(either.ndim):
        others = tuple(i for i in range(either.ndim) if i != axis)
        found = np.flatnonzero(either.any(axis=others))
        box.append(slice(int(found[0]), int(found[-1]) + 1))

    return reference[tuple(box)], prediction[tuple(box)]


def borders(mask: Mask) -> Mask:
    """Return the foreground voxels with a face neighbour outside; the array's edge is outside."""
    padded = np.pad(mask, 1)
    inside = mask.copy()
    for axis in range(mask.ndim):
        for step in (0, 2):
            window = [slice(1, -1)] * mask.ndim
            window[axis] = slice(step, step + mask.shape[axis])
            inside &= padded[tuple(window)]

    return mask & ~inside


def border_distances(
    reference: Mask, prediction: Mask, spacing: Sequence[float]
) -> tuple[Floats, Floats]:
    """Return distances of reference borders to prediction borders, and the other way round."""
    first, second = crop(reference, prediction)
    return _between(borders(first), borders(second), spacing)


def surfels(reference: Mask, prediction: Mask, spacing: Sequence[float]) -> Surfels:
    """Return the surface elements of both masks as surface-distance finds them, sorted."""
    table = _areas(tuple(float(step) for step in spacing))
    first, second = (_codes(mask) for mask in crop(reference, prediction))
    full = 2 ** (2**reference.ndim) - 1
    first_on = (first != 0) & (first != full)
    second_on = (second != 0) & (second != full)
    to_second, to_first = _between(first_on, second_on, spacing)
    one, one_area = _sorted(to_second, table[first[first_on]])
    two, two_area = _sorted(to_first, table[second[second_on]])
    return Surfels(one, one_area, two, two_area)


def percentile_95(distances: Floats, areas: Floats) -> float:
    """Return the first sorted distance up to which 95 % of the area has been seen."""
    share = np.cumsum(areas) / np.sum(areas)
    place = int(np.searchsorted(share, 0.95))
    return float(distances[min(place, len(distances) - 1)])


def _sorted(distances: Floats, areas: Floats) -> tuple[Floats, Floats]:
    order = np.lexsort((areas, distances))
    return distances[order], areas[order]


def _between(first: Mask, second: Mask, spacing: Sequence[float]) -> tuple[Floats, Floats]:
    """Return nearest distances from each voxel of `first` to `second`, and back."""
    one, two = np.argwhere(first), np.argwhere(second)
    if len(one) * len(two) <= PAIRS:
        squares: Floats = np.zeros((len(one), len(two)))
        for axis, along in enumerate(spacing):  # whole voxels first: rounds as scipy does
            squares += (np.subtract.outer(one[:, axis], two[:, axis]) * along) ** 2

        return np.sqrt(squares.min(axis=1)), np.sqrt(squares.min(axis=0))

    from scipy.spatial import cKDTree  # lazy: half a second

    step = np.asarray(spacing, dtype=np.float64)
    places = one * step, two * step
    _, in_two = cKDTree(places[1]).query(places[0])
    _, in_one = cKDTree(places[0]).query(places[1])
    return _length(one - two[in_two], step), _length(two - one[in_one], step)


def _length(voxels: NDArray[np.int64], step: Floats) -> Floats:
    lengths: Floats = np.sqrt(np.sum((voxels * step) ** 2, axis=1))
    return lengths


def _codes(mask: Mask) -> NDArray[np.uint8]:
    """Number each corner of the voxel grid by which of its 2, 4 or 8 neighbours are inside."""
    padded = np.pad(mask, 1).view(np.uint8)
    shape = tuple(size + 1 for size in mask.shape)
    codes = np.zeros(shape, dtype=np.uint8)
    corners = 2**mask.ndim
    for corner in range(corners):
        steps = [(corner >> (mask.ndim - 1 - axis)) & 1 for axis in range(mask.ndim)]
        window = tuple(slice(step, step + size) for step, size in zip(steps, shape, strict=True))
        codes |= padded[window] << np.uint8(corners - 1 - corner)

    return codes


@lru_cache(maxsize=64)
def _areas(spacing: tuple[float, ...]) -> Floats:
    """Return the area (length in 2D) of the surface element of each neighbourhood code."""
    tables = _tables()
    make = (
        tables.create_table_neighbour_code_to_surface_area
        if len(spacing) == 3
        else tables.create_table_neighbour_code_to_contour_length
    )
    return np.asarray(make(spacing), dtype=np.float64)


@lru_cache(maxsize=1)
def _tables():  # type: ignore[no-untyped-def]  # noqa: ANN202 - a module without types
    """Load the published tables alone: the package's own start imports scipy for its functions."""
    from importlib.util import find_spec, module_from_spec, spec_from_file_location
    from pathlib import Path

    package = find_spec("surface_distance")
    if package is None or package.origin is None:
        raise ModuleNotFoundError(
            "surface_distance is not installed, and nsd and hd95.surfel are defined by its tables:"
            " pip install surface-distance-based-measures"
        )

    place = Path(package.origin).with_name("lookup_tables.py")
    spec = spec_from_file_location("surface_distance_tables", place)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"{place} cannot be loaded: reinstall surface-distance")

    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
