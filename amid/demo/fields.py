"""Smooth random fields: cubic B-splines over random values on a coarse lattice."""

import numpy as np
from numpy.typing import NDArray

from amid.demo.roster import Size

Grid = NDArray[np.float64]

_FARTHEST = 1.5
"""Lattice values are cut at so many standard deviations, so that a deformation cannot fold."""


def generator(*key: int) -> np.random.Generator:
    """Return a generator that depends on the key alone."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(key)))


def millimetres(size: Size) -> Grid:
    """Return the position of every voxel from the image's middle, as (3, x, y, z)."""
    axes = [(np.arange(n) - (n - 1) / 2) * size.spacing for n in size.voxels]
    return np.stack(np.meshgrid(*axes, indexing="ij"))


def smooth(draw: np.random.Generator, size: Size, apart: float) -> Grid:
    """Return a smooth field with standard deviation of about 1/3.

    Args:
        draw: gives the lattice values, of standard deviation 1.
        size: grid on which the field is evaluated.
        apart: millimetres between the lattice's points: how far the field keeps its value.
    """
    weights = [_weights(n, size.spacing / apart) for n in size.voxels]
    knots = [along.shape[1] for along in weights]
    field = np.clip(draw.standard_normal(knots), -_FARTHEST, _FARTHEST)
    for along in weights:  # contracts the first axis and puts the voxels' axis last
        field = np.tensordot(field, along, axes=(0, 1))

    return np.asarray(field)


def _weights(voxels: int, step: float) -> Grid:
    """Return how much each lattice point counts at each voxel: a cubic B-spline."""
    reach = (voxels - 1) / 2 * step
    knots = 2 * int(np.ceil(reach + 1)) + 1
    places = (np.arange(voxels) - (voxels - 1) / 2) * step
    far = np.abs(places[:, None] - (np.arange(knots) - (knots - 1) / 2))
    near = 2 / 3 - far**2 + far**3 / 2
    outer = np.clip(2 - far, 0, None) ** 3 / 6
    return np.where(far < 1, near, outer)


__all__ = ["Grid", "generator", "millimetres", "smooth"]
