"""Cuts batches of varied images for a training, in an order that follows from the seed."""

from collections.abc import Sequence

import numpy as np
import torch
from cases import Case, Floats, read_image
from torch import Tensor
from torch.nn import functional

SHIFT = 0.08
"""Part of a side by which an image is moved at most, at strength 1."""
TURN = 0.17
"""Radians by which it is turned at most."""
ZOOM = 0.12
TONE = 0.2
NOISE = 0.05


class Batches:
    """Draws batches without end; every case once before any comes again."""

    def __init__(self, cases: Sequence[Case], truth: Floats, *, side: int, seed: int) -> None:
        """Read all images into memory."""
        self._images = np.stack([read_image(case, {2: side, 3: side}) for case in cases])
        self._truth = truth
        self._draw = np.random.default_rng(seed)
        self._waiting: list[int] = []

    @property
    def channels(self) -> int:
        """How many channels an image has."""
        return int(self._images.shape[1])

    @property
    def dimensions(self) -> int:
        """How many axes an image has."""
        return self._images.ndim - 2

    def next(self, count: int, *, strength: float, mirror: bool) -> tuple[Tensor, Tensor]:
        """Return `count` varied images with their targets."""
        while len(self._waiting) < count:
            self._waiting += self._draw.permutation(len(self._images)).tolist()

        chosen, self._waiting = self._waiting[:count], self._waiting[count:]
        images = torch.from_numpy(self._images[chosen])
        images = varied(images, self._draw, strength, mirror=mirror)

        return images, torch.from_numpy(self._truth[chosen])


def varied(images: Tensor, draw: np.random.Generator, strength: float, *, mirror: bool) -> Tensor:
    """Move, turn and stretch each image a little, and change its tone."""
    count, dimensions = len(images), images.ndim - 2
    moves = np.zeros((count, dimensions, dimensions + 1), np.float32)

    for move in moves:
        turn = draw.uniform(-TURN, TURN) * strength
        zoom = 1 + draw.uniform(-ZOOM, ZOOM) * strength
        body = np.eye(dimensions) * zoom
        body[:2, :2] = zoom * np.asarray(
            [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
        )
        move[:, :dimensions] = body
        move[:, dimensions] = draw.uniform(-2 * SHIFT, 2 * SHIFT, dimensions) * strength

        if mirror and draw.random() < 0.5:
            move[0] *= -1

    grid = functional.affine_grid(torch.from_numpy(moves), list(images.shape), align_corners=False)
    moved = functional.grid_sample(
        images, grid, mode="bilinear", padding_mode="border", align_corners=False
    )
    shape = (count, *[1] * (images.ndim - 1))
    gain = 1 + strength * draw.uniform(-TONE, TONE, shape).astype(np.float32)
    offset = strength * draw.uniform(-TONE, TONE, shape).astype(np.float32)
    noise = strength * NOISE * draw.standard_normal(images.shape, np.float32)

    return moved * torch.from_numpy(gain) + torch.from_numpy(offset) + torch.from_numpy(noise)
