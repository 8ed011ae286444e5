"""Keeps every labelled case as an atlas: its image and labels, stretched to one grid.

There is nothing to fit. Intensities become whole numbers from 0 to 255, which loses less than the
noise of the images and makes the model small.
"""

import numpy as np
from volumes import OUT, common_grid, params, read_channels, read_parts, read_view, resize, smooth

MOST_VOXELS = 125_000
"""The common grid is made coarser above this; time and model size grow with it."""
IGNORED = 255
"""Stands where nobody says what is right: no label votes there."""


def main() -> None:
    """Write the atlases of the view, in its order."""
    most = int(params()["atlases"])
    view = read_view()
    grid = common_grid(view.fit, MOST_VOXELS)
    images, labels = [], []

    for case in view.fit[:most]:
        channels = resize(read_channels(case), grid)
        part = resize(read_parts(case, view.ids), grid)
        images.append(np.rint((channels + 4) * (255 / 8)).astype(np.uint8))
        known = part.sum(axis=0) > 0.5
        labels.append(np.where(known, part.argmax(axis=0), IGNORED).astype(np.uint8))

    stack = np.stack(labels)
    found = smooth(((stack > 0) & (stack < IGNORED)).mean(axis=0, dtype=np.float32), 2.0, len(grid))
    OUT.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(OUT / "model.npz", images=np.stack(images), labels=stack, near=found > 0.01)
    print(f"{len(images)} atlases on a grid of {grid}")


if __name__ == "__main__":
    main()
