"""Labels an image by the vote of the atlases that look like it, patch by patch.

The atlases most correlated with the image near the labels are chosen. Each is moved as a whole to
where it correlates best, and from there by every small shift; wherever a patch of it then looks
like the image's, its labels count, and the more the smaller the difference.
"""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from volumes import (
    MODEL,
    Floats,
    box,
    params,
    read_channels,
    read_view,
    resize,
    smooth,
    write_prediction,
)

Place = tuple[int, ...]
"""A shift in voxels per axis."""
Spectrum = NDArray[np.complexfloating[Any, Any]]


class Atlases:
    """What train.py kept."""

    def __init__(self) -> None:
        with np.load(MODEL / "model.npz") as kept:
            self.images = kept["images"].astype(np.float32) * (8 / 255) - 4
            self.labels: NDArray[np.uint8] = kept["labels"]
            self.near: NDArray[np.bool_] = kept["near"]

        self.grid = self.near.shape
        self.window = _window(self.near)
        self._looks = _unit(self.images[..., self.near].reshape(len(self.images), -1))

    def likely(self, channels: Floats, labels: int, chosen: dict[str, Any]) -> Floats:
        """Return the share of each label in each voxel of an image."""
        image = resize(channels, self.grid)
        alike = self._looks @ _unit(image[:, self.near].reshape(1, -1))[0]
        spectrum = _spectrum(image)
        total = np.zeros((labels, *image[:, *self.window].shape[1:]), np.float32)

        for atlas in np.argsort(-alike, kind="stable")[: int(chosen["votes"])]:
            place = _best_place(spectrum, self.images[atlas], int(chosen["drift"]))
            self._vote(int(atlas), image, place, total, chosen)

        full = np.zeros((labels, *self.grid), np.float32)
        full[0] = 1
        full[:, *self.window] = total / np.maximum(total.sum(axis=0), 1e-20)

        return resize(full, channels.shape[1:])

    def _vote(
        self, atlas: int, image: Floats, place: Place, total: Floats, chosen: dict[str, Any]
    ) -> None:
        dimensions = len(self.grid)
        reach, drift = int(chosen["reach"]), int(chosen["drift"])
        edge = reach + drift
        part = image[:, *self.window]
        other = np.pad(self.images[atlas], [(0, 0)] + [(edge, edge)] * dimensions, mode="edge")
        labels = np.pad(self.labels[atlas], edge, mode="edge")

        for shift in product(range(-reach, reach + 1), repeat=dimensions):
            moved = tuple(
                slice(side.start + edge + far + step, side.stop + edge + far + step)
                for side, far, step in zip(self.window, place, shift, strict=True)
            )
            apart = ((part - other[:, *moved]) ** 2).mean(axis=0)
            near = box(apart, int(chosen["patch"]), dimensions) / np.float32(chosen["sharp"])
            # the floor lets distant patches speak where no near one does
            weight = np.exp(-near) + np.float32(1e-12)

            for label in range(len(total)):
                total[label] += weight * (labels[moved] == label)


def _best_place(spectrum: Spectrum, atlas: Floats, drift: int) -> Place:
    """Return the shift of the atlas, at most `drift` voxels per axis, that correlates best."""
    shape = atlas.shape[1:]
    crossed = (np.conj(spectrum) * _spectrum(atlas)).sum(axis=0)
    alike = np.fft.irfftn(crossed, s=shape, axes=tuple(range(len(shape))))
    reach = [np.arange(-min(drift, side // 2), min(drift, side // 2) + 1) for side in shape]
    near = alike[np.ix_(*reach)]
    best = np.unravel_index(int(near.argmax()), near.shape)

    return tuple(int(steps[index]) for steps, index in zip(reach, best, strict=True))


def _spectrum(channels: Floats) -> Spectrum:
    axes = tuple(range(1, channels.ndim))
    found: Spectrum = np.fft.rfftn(channels - channels.mean(axis=axes, keepdims=True), axes=axes)

    return found


def _window(near: NDArray[np.bool_]) -> tuple[slice, ...]:
    """Return the smallest box that holds every voxel that may be foreground."""
    places = np.argwhere(near)

    if len(places) == 0:
        return tuple(slice(0, side) for side in near.shape)

    return tuple(
        slice(int(low), int(high) + 1)
        for low, high in zip(places.min(axis=0), places.max(axis=0), strict=True)
    )


def _unit(rows: Floats) -> Floats:
    rows = rows - rows.mean(axis=1, keepdims=True)

    length = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)

    return np.asarray(rows / length, np.float32)


def main() -> None:
    """Predict every case of the view."""
    chosen = params()
    view = read_view()
    atlases = Atlases()

    for case in view.cases:
        likely = atlases.likely(read_channels(case), len(view.ids), chosen)
        likely = smooth(likely, float(chosen["finish"]), likely.ndim - 1)
        write_prediction(case, likely, view.ids, one_piece=bool(chosen["one_piece"]))

    print(f"{len(view.cases)} cases predicted")


if __name__ == "__main__":
    main()
