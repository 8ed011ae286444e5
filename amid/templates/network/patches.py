"""Holds the cases in memory and cuts training patches out of them, each a little different.

Every random number comes from one NumPy generator, so that CPU and GPU see the same patches. A
patch is one resampling: place, turn, scale and mirror together, with edges repeated outside the
image. Turns and scales are in voxels; where spacing differs between axes they shear a little.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from volumes import Case, Floats, Shape, read_channels, read_parts

MOST_BYTES = 4 << 30
"""All cases of a view together must stay below this in memory."""
IGNORED = -1
"""Stands for a label's index where nobody says what is right."""
MOST_PLACES = 20_000
"""Foreground voxels remembered per case as centres of patches."""
ON_FOREGROUND = 0.67
"""Share of the patches whose centre is a foreground voxel, where a patch is smaller than a case."""

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Loaded:
    """One case, ready to be cut."""

    image: Tensor
    """(1, channels, z, y, x)"""
    label: Tensor
    """(1, 1, z, y, x), the index of each voxel's label; `IGNORED` where none is known"""
    places: Places
    """Foreground voxels, one a row."""

    @property
    def size(self) -> Shape:
        """Return the (z, y, x) size."""
        return tuple(self.image.shape[2:])


@dataclass(frozen=True)
class Habit:
    """How patches are to be varied."""

    strength: float
    """0 leaves them as they are, 1 is usual."""
    mirror: bool
    """Whether a mirror image is anatomy that may occur."""


def load(cases: Sequence[Case], ids: Sequence[int], device: torch.device) -> list[Loaded]:
    """Read every case of the view; stop with the reason where that would take too much memory."""
    loaded: list[Loaded] = []
    taken = 0

    for case in cases:
        parts = read_parts(case, ids)
        label = np.where(parts.any(axis=0), parts.argmax(axis=0), IGNORED)
        loaded.append(ready(read_channels(case), label, device))
        taken += 4 * (loaded[-1].image.numel() + loaded[-1].label.numel())

        if taken > MOST_BYTES:
            raise SystemExit(
                f"{len(loaded)} of {len(cases)} cases take {taken >> 20} MiB: this template keeps "
                f"all cases in memory, at most {MOST_BYTES >> 20} MiB"
            )

    return loaded


def ready(channels: Floats, label: NDArray[np.integer], device: torch.device) -> Loaded:
    """Turn arrays into a case to cut patches from."""
    places = np.argwhere(label > 0)
    stride = max(1, -(-len(places) // MOST_PLACES))

    return Loaded(
        image=torch.from_numpy(np.ascontiguousarray(channels, np.float32))[None].to(device),
        label=torch.from_numpy(label.astype(np.float32))[None, None].to(device),
        places=places[::stride],
    )


def patch_for(sizes: Sequence[Shape], most: int, multiple: int) -> Shape:
    """Return a patch that holds a case of median size, at most about `most` voxels a side."""
    median = np.median(np.asarray(sizes), axis=0)
    sides = [min(float(side), max(most, multiple)) for side in median]

    return tuple(int(-(-side // multiple)) * multiple for side in sides)


class Order:
    """Deals cases out: each once in a shuffled round, then all again."""

    def __init__(self, count: int, draw: np.random.Generator) -> None:
        self._count = count
        self._draw = draw
        self._left: list[int] = []

    def next(self) -> int:
        """Return the next case."""
        if not self._left:
            self._left = [int(index) for index in self._draw.permutation(self._count)]

        return self._left.pop()


class Cutter:
    """Cuts patches of one size."""

    def __init__(self, patch: Shape, habit: Habit, device: torch.device) -> None:
        self._patch = patch
        self._habit = habit
        steps = [torch.arange(side) - (side - 1) / 2 for side in patch]
        self._steps = torch.stack(torch.meshgrid(*steps, indexing="ij"), dim=-1).to(device)

    def batch(self, cases: Sequence[Loaded], draw: np.random.Generator) -> tuple[Tensor, Tensor]:
        """Return images (cases, channels, ...) and label indices (cases, ...)."""
        pairs = [self._cut(case, draw) for case in cases]

        return torch.cat([image for image, _ in pairs]), torch.cat([label for _, label in pairs])

    def _cut(self, case: Loaded, draw: np.random.Generator) -> tuple[Tensor, Tensor]:
        centre = self._centre(case, draw)
        turn = _turn(len(self._patch), self._habit, draw)
        device = case.image.device
        places = self._steps @ torch.from_numpy(turn.T.astype(np.float32)).to(device)
        places = places + torch.from_numpy(centre.astype(np.float32)).to(device)
        last = torch.tensor([max(side - 1, 1) for side in case.size], device=device)
        # from voxels to -1 ... 1, x first, as grid_sample wants it
        grid = (2 * places / last - 1).flip(-1)[None]
        image = functional.grid_sample(
            case.image, grid, mode="bilinear", padding_mode="border", align_corners=True
        )
        label = functional.grid_sample(
            case.label, grid, mode="nearest", padding_mode="border", align_corners=True
        )

        return self._repaint(image, draw), label[:, 0].long()

    def _centre(self, case: Loaded, draw: np.random.Generator) -> Floats:
        """Return where the patch's middle lies; all of a case that fits is kept in view."""
        size, patch = np.asarray(case.size), np.asarray(self._patch)
        drift = draw.uniform(-1, 1, len(size)) * self._habit.strength * 0.06 * size
        wanted = draw.uniform(0, size - 1)

        if len(case.places) and draw.random() < ON_FOREGROUND:
            wanted = case.places[draw.integers(len(case.places))].astype(np.float64)

        low, high = (patch - 1) / 2, size - 1 - (patch - 1) / 2
        inside = np.clip(wanted, np.minimum(low, high), np.maximum(low, high))

        return np.where(patch >= size, (size - 1) / 2 + drift, inside).astype(np.float32)

    def _repaint(self, image: Tensor, draw: np.random.Generator) -> Tensor:
        """Vary contrast and brightness of each channel, and add noise."""
        strength = self._habit.strength

        if strength == 0:
            return image

        shape = (1, image.shape[1], *(1 for _ in self._patch))
        gain = np.exp(draw.normal(0, 0.12 * strength, shape)).astype(np.float32)
        shift = draw.normal(0, 0.12 * strength, shape).astype(np.float32)
        level = np.float32(draw.uniform(0, 0.1 * strength))
        noise = level * draw.standard_normal(image.shape, np.float32)
        gain_, shift_, noise_ = (
            torch.from_numpy(part).to(image.device) for part in (gain, shift, noise)
        )

        return image * gain_ + shift_ + noise_


def _turn(dimensions: int, habit: Habit, draw: np.random.Generator) -> NDArray[np.float64]:
    """Return the matrix from steps in the patch to steps in the case."""
    scale = np.exp(draw.uniform(-0.12, 0.12) * habit.strength)
    sides = np.exp(draw.uniform(-0.06, 0.06, dimensions) * habit.strength) * scale
    matrix = np.diag(sides)

    for first in range(dimensions):
        for second in range(first + 1, dimensions):
            angle = np.deg2rad(draw.uniform(-12, 12)) * habit.strength
            plane = np.eye(dimensions)
            plane[first, first] = plane[second, second] = np.cos(angle)
            plane[first, second], plane[second, first] = -np.sin(angle), np.sin(angle)
            matrix = plane @ matrix

    if habit.mirror:
        matrix = matrix @ np.diag(draw.choice([-1.0, 1.0], dimensions))

    return matrix
