"""Bends the template into a patient: turn, scale and shift it, then deform it smoothly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amid.demo.fields import Grid, generator, millimetres, smooth
from amid.demo.roster import Size, Visit
from amid.demo.template import CENTRE, Floats, Template

BACKGROUND, GREY, WHITE = 0, 1, 2

_COARSE = (48.0, 12.0)
"""Lattice step and standard deviation of its values, in millimetres: the shape of a head."""
_FINE = (24.0, 4.5)
"""The same for smaller differences."""
_BETWEEN_VISITS = (30.0, 1.5)
"""The same for what changes until a second visit."""
_TURN, _SCALE, _SHIFT = 0.06, 0.04, 3.0
"""Standard deviations: radians about each axis, logarithm of each axis' scale, millimetres."""


@dataclass(frozen=True, slots=True)
class Anatomy:
    """What a perfect scanner would see of one visit."""

    t1: Floats
    label: NDArray[np.uint8]


def anatomy(template: Template, size: Size, visit: Visit, seed: int) -> Anatomy:
    """Return a patient at a visit; two visits of one patient differ little."""
    from scipy import ndimage

    where = deformed(size, visit, seed) + np.asarray(CENTRE).reshape(3, 1, 1, 1)
    t1, grey, white = (
        np.asarray(ndimage.map_coordinates(volume, where, order=1), dtype=np.float32)
        for volume in (template.t1, template.grey, template.white)
    )
    shares = np.stack([1 - grey - white, grey, white])
    return Anatomy(t1, shares.argmax(axis=0).astype(np.uint8))


def deformed(size: Size, visit: Visit, seed: int) -> Grid:
    """Return for every voxel the millimetre of the template that is seen there, as (3, x, y, z)."""
    draw = generator(seed, visit.patient)
    turn = _rotation(draw.normal(0, _TURN, 3)) * np.exp(draw.normal(0, _SCALE, 3))
    shift = draw.normal(0, _SHIFT, 3).reshape(3, 1, 1, 1)
    where = np.einsum("ij,jxyz->ixyz", turn, millimetres(size)) + shift
    where += _displacement(draw, size, _COARSE) + _displacement(draw, size, _FINE)
    if visit.number > 1:
        later = generator(seed, visit.patient, visit.number)
        where += _displacement(later, size, _BETWEEN_VISITS)

    return np.asarray(where)


def _displacement(draw: np.random.Generator, size: Size, how: tuple[float, float]) -> Grid:
    apart, spread = how
    return spread * np.stack([smooth(draw, size, apart) for _ in range(3)])


def _rotation(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix that turns about x, then y, then z."""
    turned = np.eye(3)
    for axis, angle in enumerate(angles):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        step = np.eye(3)
        step[first, first] = step[second, second] = np.cos(angle)
        step[first, second], step[second, first] = -np.sin(angle), np.sin(angle)
        turned = step @ turned

    return np.asarray(turned)


__all__ = ["BACKGROUND", "GREY", "WHITE", "Anatomy", "anatomy", "deformed"]
