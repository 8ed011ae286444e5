"""A network that labels voxels: how it is made, what it learns from, and how it predicts.

`model.py` beside this file says which network it is.
"""

import math
from itertools import product

import numpy as np
import torch
from model import MULTIPLE, build
from steps import Learner as StepLearner
from torch import Tensor, nn
from torch.nn import functional
from volumes import Floats, Shape

WHOLE = 2_000_000
"""Cases up to so many voxels, padded, are predicted in one piece; larger ones window by window."""
OFFSETS = (0, 3, 5, 6)
"""Voxels by which a case is moved on the network's grid, pass by pass."""


class Folded(nn.Module):
    """Lets a network work at a coarser grid: neighbouring voxels become channels, and back."""

    def __init__(self, net: nn.Module, fold: int) -> None:
        super().__init__()
        self.net = net
        self.fold = fold

    def forward(self, images: Tensor) -> Tensor:
        """Return one value per label and voxel."""
        found: Tensor = self.net(_fold(images, self.fold))

        return _unfold(found, self.fold)


def make(channels: int, labels: int, dimensions: int, *, width: int, fold: int) -> nn.Module:
    """Return the network, for whole images of `channels` and `labels`."""
    cells = fold**dimensions

    return Folded(build(dimensions, channels * cells, labels * cells, width), fold)


def multiple_of(fold: int) -> int:
    """Return what every side of a patch must be a multiple of."""
    return MULTIPLE * fold


class Learner(StepLearner):
    """A network on its way through a fixed number of steps."""

    def __init__(self, net: nn.Module, steps: int, rate: float) -> None:
        super().__init__(net, steps, rate, loss)


def loss(found: Tensor, labels: Tensor) -> Tensor:
    """Return cross-entropy plus one minus the mean Dice of the foreground, over the batch.

    Voxels with a negative label are to be ignored: they count in neither.
    """
    sure = functional.log_softmax(found, dim=1)
    known = (labels >= 0)[:, None].to(found.dtype)
    wanted = functional.one_hot(labels.clamp_min(0), found.shape[1]).movedim(-1, 1).to(found.dtype)
    wanted = wanted * known
    entropy = -(sure * wanted).sum() / known.sum().clamp_min(1)
    share = sure.exp() * known
    axes = (0, *range(2, found.ndim))
    overlap = (share * wanted).sum(dim=axes)[1:]
    size = (share + wanted).sum(dim=axes)[1:]
    dice = (2 * overlap + 1) / (size + 1)

    return entropy + 1 - dice.mean()


class Predictor:
    """A trained network that labels whole cases."""

    def __init__(self, net: nn.Module, patch: Shape, multiple: int, passes: int) -> None:
        """Take a network.

        Args:
            net: with its weights, on its device.
            patch: what it was trained on; also the window for large cases.
            multiple: what every side of an input must be a multiple of.
            passes: how many placements of the case on the network's grid are averaged.
        """
        self._net = net.eval()
        self._patch = patch
        self._multiple = multiple
        self._offsets = OFFSETS[:passes]

    def likely(self, channels: Floats, unseen: tuple[int, ...] = ()) -> Floats:
        """Return the share of each label in each voxel; labels that are `unseen` get none."""
        parts = [self._placed(channels, offset, unseen) for offset in self._offsets]

        return np.asarray(np.mean(parts, axis=0), np.float32)

    def _placed(self, channels: Floats, offset: int, unseen: tuple[int, ...]) -> Floats:
        size = channels.shape[1:]
        width, kept = [], []

        for side, least in zip(size, self._patch, strict=True):
            room = max(least, -(-(side + offset) // self._multiple) * self._multiple)
            before = offset + (room - side - offset) // 2
            width.append((before, room - side - before))
            kept.append(slice(before, before + side))

        padded = np.pad(channels, [(0, 0), *width], mode="edge")
        share = self._tiled(torch.from_numpy(padded)[None], unseen)

        return np.asarray(share[:, *kept].numpy(), np.float32)

    @torch.inference_mode()
    def _tiled(self, image: Tensor, unseen: tuple[int, ...]) -> Tensor:
        """Average over windows, their middle counting most."""
        size = tuple(image.shape[2:])
        window = size if math.prod(size) <= WHOLE else self._patch
        weight = _bell(window)
        total, count = torch.zeros(0), torch.zeros(size)
        device = next(self._net.parameters()).device

        for corner in product(*(_starts(*pair) for pair in zip(size, window, strict=True))):
            place = tuple(slice(at, at + side) for at, side in zip(corner, window, strict=True))
            found = self._net(image[:, :, *place].to(device))
            found[:, list(unseen)] = -1e4
            share = found.softmax(dim=1)[0].float().cpu()
            total = total if total.numel() else torch.zeros((len(share), *size))
            total[:, *place] += weight * share
            count[place] += weight

        return total / count


def _starts(size: int, window: int) -> list[int]:
    """Return where windows begin along an axis: overlapping by half, the last one flush."""
    count = 1 + max(0, math.ceil((size - window) / max(1, window // 2)))

    return [round(index * (size - window) / max(1, count - 1)) for index in range(count)]


def _bell(window: Shape) -> Tensor:
    """Return a weight per voxel of a window: a Gaussian, never quite 0."""
    weight = torch.ones(())

    for side in window:
        step = (torch.arange(side) - (side - 1) / 2) / (side / 4)
        weight = weight[..., None] * torch.exp(-0.5 * step**2)

    return weight.clamp_min(1e-3)


def _fold(images: Tensor, fold: int) -> Tensor:
    """Turn cubes of voxels into channels."""
    if fold == 1:
        return images

    batch, channels, *size = images.shape
    cut = [part for side in size for part in (side // fold, fold)]
    outer = [2 + 2 * axis for axis in range(len(size))]
    inner = [3 + 2 * axis for axis in range(len(size))]
    small = [side // fold for side in size]

    return (
        images.reshape(batch, channels, *cut)
        .permute(0, 1, *inner, *outer)
        .reshape(batch, channels * fold ** len(size), *small)
    )


def _unfold(found: Tensor, fold: int) -> Tensor:
    """Turn channels back into cubes of voxels."""
    if fold == 1:
        return found

    batch, channels, *small = found.shape
    axes = len(small)
    apart = found.reshape(batch, channels // fold**axes, *(fold for _ in small), *small)
    mixed = [part for axis in range(axes) for part in (2 + axes + axis, 2 + axis)]

    return apart.permute(0, 1, *mixed).reshape(batch, -1, *(side * fold for side in small))
