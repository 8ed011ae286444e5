"""Learns where each label lies and what the image looks like there.

All cases are stretched to one grid. For every label and voxel of the grid it keeps how often the
label was there (location prior) and the mean and covariance of the local features under that label
(intensity likelihood). Both are averaged over a neighbourhood, and pulled towards the label's
overall appearance where few cases speak.
"""

import numpy as np
from common import features
from volumes import (
    OUT,
    SEED,
    Floats,
    Shape,
    View,
    common_grid,
    params,
    read_channels,
    read_parts,
    read_view,
    resize,
    smooth,
)

MOST_VOXELS = 125_000
"""The common grid is made coarser above this; time and model size grow with it."""
PULL = 0.2
"""Weight of a label's overall appearance, counted in cases."""
FLOOR = 1e-4
"""Share that every label keeps everywhere, so that intensity may overrule location."""
UNSEEN = -1e6
"""Score of a label that no training case shows."""
NEAR = 0.002
"""Voxels of the grid with less foreground than this are background and not modelled."""


def main() -> None:
    """Train on every labelled case of the view and write the model."""
    chosen = params()
    view = read_view()
    grid = common_grid(view.fit, MOST_VOXELS)
    weight, first, second = sums(view, grid, dither=float(chosen["dither"]))
    spread = float(chosen["spread"])
    dimensions = len(grid)

    prior = smooth(weight / cases_at(weight, view), 1.0, dimensions)
    near = 1 - prior[0] > NEAR
    pooled = [smooth(part, spread, dimensions)[..., near] for part in (weight, first, second)]
    mean, precision, offset = gaussians(*pooled, ridge=float(chosen["ridge"]))

    OUT.mkdir(parents=True, exist_ok=True)
    np.savez(
        OUT / "model.npz",
        grid=np.asarray(grid, np.int64),
        near=np.packbits(near),
        prior=np.log(prior[:, near] + FLOOR).astype(np.float32),
        mean=mean.astype(np.float32),
        precision=precision.astype(np.float32),
        offset=offset.astype(np.float32),
    )
    print(f"{len(view.fit)} cases on a grid of {grid}; {int(near.sum())} voxels modelled")


def cases_at(weight: Floats, view: View) -> Floats:
    """Return how many cases speak: all of them, or each voxel's where some are to be ignored."""
    if view.ignore is None:
        return np.asarray(len(view.fit), np.float32)

    return np.asarray(np.maximum(weight.sum(axis=0), 1e-6), np.float32)


def sums(view: View, grid: Shape, *, dither: float) -> tuple[Floats, Floats, Floats]:
    """Add up, per label and voxel: cases, features, and products of pairs of features.

    Each image gets its own draw of noise from the job's seed, against covariances that trust a few
    smooth images too much.
    """
    draw = np.random.default_rng(SEED)
    weight = first = second = np.zeros(0, np.float32)

    for case in view.fit:
        part = resize(read_parts(case, view.ids), grid)
        image = resize(read_channels(case), grid)
        noise = draw.standard_normal(image.shape, np.float32)
        seen = features(image + np.float32(dither) * noise)
        rows, columns = np.triu_indices(len(seen))

        if weight.size == 0:
            weight = np.zeros((len(part), *grid), np.float32)
            first = np.zeros((len(part), len(seen), *grid), np.float32)
            second = np.zeros((len(part), len(rows), *grid), np.float32)

        pairs = seen[rows] * seen[columns]

        for label, share in enumerate(part):
            weight[label] += share
            first[label] += share * seen
            second[label] += share * pairs

    return weight, first, second


def gaussians(
    weight: Floats, first: Floats, second: Floats, *, ridge: float
) -> tuple[Floats, Floats, Floats]:
    """Turn sums into the mean, inverse covariance and log-determinant term per label and voxel."""
    count = first.shape[1]
    rows, columns = np.triu_indices(count)
    whole = np.maximum(weight.sum(axis=-1), 1e-6)[:, None]
    weight = weight + PULL
    first = (first + PULL * (first.sum(axis=-1) / whole)[..., None]) / weight[:, None]
    second = (second + PULL * (second.sum(axis=-1) / whole)[..., None]) / weight[:, None]

    labels, _, voxels = first.shape
    covariance = np.zeros((labels, voxels, count, count))
    spread = np.moveaxis(second - first[:, rows] * first[:, columns], 1, -1)
    covariance[..., rows, columns] = spread
    covariance[..., columns, rows] = spread
    covariance += ridge * np.eye(count)
    precision = np.linalg.inv(covariance)
    offset = -0.5 * np.linalg.slogdet(covariance)[1]
    offset[whole[:, 0] < 1] = UNSEEN  # else it would be sure of an appearance of zeros
    # kept as the upper triangle with doubled mixed terms: half the size, and one product less
    half = precision[..., rows, columns] * np.where(rows == columns, 1.0, 2.0)

    return first, np.moveaxis(half, -1, 1), offset


if __name__ == "__main__":
    main()
