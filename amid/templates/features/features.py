"""Describes an image by numbers: what it looks like from afar, its edges, and how rough it is."""

from itertools import product

import numpy as np
from cases import Case, Floats, read_image, resized

SIDE = {2: 128, 3: 48}
"""Places a side at which an image is looked at, by its dimensions."""
COARSE = {2: 16, 3: 8}
CELLS = {2: 8, 3: 4}
TURNS = 8
"""Directions that edges are counted in."""


def describe(case: Case) -> Floats:
    """Return the features of a case: one row of numbers, always as many."""
    image = read_image(case, SIDE)

    return np.concatenate([part.ravel() for channel in image for part in _parts(channel)])


def _parts(channel: Floats) -> list[Floats]:
    dimensions = channel.ndim
    cells = CELLS[dimensions]
    slopes = np.stack([np.gradient(channel, axis=axis) for axis in range(dimensions)])
    steep = np.sqrt((slopes**2).sum(axis=0))
    edges = np.stack([resized(steep * way, cells) for way in _ways(slopes)])
    edges /= np.sqrt((edges**2).sum(axis=0, keepdims=True)) + np.float32(1e-3)
    rough = resized(channel**2, cells) - resized(channel, cells) ** 2
    shares = np.percentile(channel, (1, 5, 25, 50, 75, 95, 99)).astype(np.float32)

    return [
        resized(channel, COARSE[dimensions]),
        edges,
        np.sqrt(np.maximum(rough, 0)),
        shares,
        np.asarray([steep.mean(), steep.std()], np.float32),
    ]


def _ways(slopes: Floats) -> list[Floats]:
    """Return masks of the places where the slope has each direction.

    On a plane these are equal parts of half a turn; in space the signs of the three slopes, of
    which one of each two opposite ones.
    """
    if len(slopes) == 2:
        angle = np.mod(np.arctan2(slopes[0], slopes[1]), np.pi)
        turn = np.minimum((angle / np.pi * TURNS).astype(np.intp), TURNS - 1)
        return [(turn == number).astype(np.float32) for number in range(TURNS)]

    signs = slopes >= 0
    halves = [way for way in product((False, True), repeat=len(slopes)) if way[0]]

    return [
        (
            np.all([s == w for s, w in zip(signs, way, strict=True)], axis=0)
            | np.all([s != w for s, w in zip(signs, way, strict=True)], axis=0)
        ).astype(np.float32)
        for way in halves
    ]
