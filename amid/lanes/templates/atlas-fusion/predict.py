"""Labels an image by the vote of the atlases that look like it, patch by patch.

The atlases most correlated with the image near the labels are chosen. Each is moved by every small
shift; wherever a patch of it then looks like the image's, its labels count, and the more the
smaller the difference.
"""

from itertools import product

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

    def likely(
        self, channels: Floats, labels: int, *, votes: int, reach: int, patch: int, sharp: float
    ) -> Floats:
        """Return the share of each label in each voxel of an image."""
        image = resize(channels, self.grid)
        alike = self._looks @ _unit(image[:, self.near].reshape(1, -1))[0]
        chosen = np.argsort(-alike, kind="stable")[:votes]
        part = image[:, *self.window]
        total = np.zeros((labels, *part.shape[1:]), np.float32)

        for atlas in chosen:
            self._vote(int(atlas), part, total, reach, patch, sharp)

        full = np.zeros((labels, *self.grid), np.float32)
        full[0] = 1
        full[:, *self.window] = total / np.maximum(total.sum(axis=0), 1e-20)

        return resize(full, channels.shape[1:])

    def _vote(
        self, atlas: int, part: Floats, total: Floats, reach: int, patch: int, sharp: float
    ) -> None:
        dimensions = len(self.grid)
        image = np.pad(self.images[atlas], [(0, 0)] + [(reach, reach)] * dimensions, mode="edge")
        labels = np.pad(self.labels[atlas], reach, mode="edge")

        for shift in product(range(2 * reach + 1), repeat=dimensions):
            moved = tuple(
                slice(side.start + step, side.stop + step)
                for side, step in zip(self.window, shift, strict=True)
            )
            apart = ((part - image[:, *moved]) ** 2).mean(axis=0)
            # the floor lets distant patches speak where no near one does
            weight = np.exp(-box(apart, patch, dimensions) / sharp) + np.float32(1e-12)

            for label in range(len(total)):
                total[label] += weight * (labels[moved] == label)


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
        likely = atlases.likely(
            read_channels(case),
            len(view.ids),
            votes=int(chosen["votes"]),
            reach=int(chosen["reach"]),
            patch=int(chosen["patch"]),
            sharp=float(chosen["sharp"]),
        )
        likely = smooth(likely, float(chosen["finish"]), likely.ndim - 1)
        write_prediction(case, likely, view.ids, one_piece=bool(chosen["one_piece"]))

    print(f"{len(view.cases)} cases predicted")


if __name__ == "__main__":
    main()
