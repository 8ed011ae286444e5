"""Draws three planes of a case with contours of reference and prediction. Arrays in, PNG out.

The reference is a solid line, the prediction a dashed one, in two colours that people with any
colour vision tell apart; where both lie on one pixel the prediction's dashes are on top.
"""

import base64
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amid.report.cases import Plane

REFERENCE = (230, 159, 0)
"""Orange of the Okabe-Ito palette."""
PREDICTION = (86, 180, 233)
"""Sky blue of the same."""
HEIGHT = 256
"""Pixels of a plane's longer side, about; a page may show it smaller."""
MARGIN = 12
DASH = 5
THICK = 3
"""Where a voxel takes so many pixels a contour is two pixels wide, else one."""

_GRAYS = 254
_REFERENCE_AT, _PREDICTION_AT = _GRAYS, _GRAYS + 1
"""A picture is a palette of greys and, at its end, the two colours: a third of the bytes."""

Volume = NDArray[Any]
"""Voxels as (z, y, x), axes pointing to superior, posterior and left."""

PLANES = ("axial", "coronal", "sagittal")


def planes(
    image: Volume,
    reference: Volume,
    prediction: Volume,
    spacing: tuple[float, float, float],
    window: tuple[float, float],
    *,
    case: str,
) -> tuple[Plane, ...]:
    """Return axial, coronal and sagittal planes through the thickest part of the structures.

    Args:
        image: intensities.
        reference: label numbers, 0 is background.
        prediction: the same.
        spacing: millimetres per voxel as (z, y, x).
        window: intensities shown as black and as white.
        case: how the case is called.
    """
    either = (reference > 0) | (prediction > 0)
    box = _box(either)
    made = []
    for axis, name in enumerate(PLANES):
        others = tuple(k for k in range(3) if k != axis)
        area = either.sum(axis=others)
        index = int(area.argmax()) if area.any() else image.shape[axis] // 2
        cut = tuple(index if k == axis else box[k] for k in range(3))
        steps = tuple(spacing[k] for k in others)
        flat = [np.asarray(volume[cut]) for volume in (image, reference, prediction)]
        if axis > 0:  # superior is up
            flat = [np.flipud(plane) for plane in flat]

        picture = _draw(flat, (steps[0], steps[1]), window)
        alt = f"{case}, {name} slice {index} with contours of reference and prediction"
        height, width = picture.shape
        made.append(Plane(f"{name} {index}", _png(picture), width, height, alt))

    return tuple(made)


def _box(either: NDArray[np.bool_]) -> tuple[slice, ...]:
    """Return the part of a volume to show: the structures with room around them."""
    box = []
    for axis, size in enumerate(either.shape):
        inside = np.flatnonzero(either.any(axis=tuple(k for k in range(3) if k != axis)))
        if not len(inside):
            box.append(slice(0, size))
            continue

        first, last = int(inside[0]), int(inside[-1]) + 1
        room = max(MARGIN, (last - first) // 2)
        box.append(slice(max(0, first - room), min(size, last + room)))

    return tuple(box)


def _draw(
    flat: list[NDArray[Any]],
    steps: tuple[float, float],
    window: tuple[float, float],
) -> NDArray[np.uint8]:
    """Return palette numbers: the image with contours of reference and prediction."""
    rows, columns = (max(1, round(n * step)) for n, step in zip(flat[0].shape, steps, strict=True))
    scale = HEIGHT / max(rows, columns)
    size = (max(1, round(rows * scale)), max(1, round(columns * scale)))
    reference, prediction = (_nearest(plane, size) for plane in flat[1:])
    picture = _gray(flat[0], size, window)
    width = 2 if scale * min(steps) >= THICK else 1
    picture[_edge(reference, width)] = _REFERENCE_AT
    dashes = np.add.outer(np.arange(size[0]), np.arange(size[1])) // DASH % 2 == 0
    picture[_edge(prediction, width) & dashes] = _PREDICTION_AT
    return picture


def _gray(
    plane: NDArray[Any], size: tuple[int, int], window: tuple[float, float]
) -> NDArray[np.uint8]:
    """Return palette numbers: intensities within the window, interpolated to the picture's size."""
    from PIL import Image

    low, high = window
    shown = np.clip((plane.astype(np.float64) - low) / max(high - low, 1e-9), 0, 1)
    small = Image.fromarray((shown * 255).astype(np.uint8))
    large = np.asarray(small.resize(size[::-1], Image.Resampling.BILINEAR), dtype=np.uint16)
    return (large * (_GRAYS - 1) // 255).astype(np.uint8)


def _nearest(plane: NDArray[Any], size: tuple[int, int]) -> NDArray[Any]:
    rows, columns = (
        np.minimum((np.arange(n) * old) // n, old - 1)
        for n, old in zip(size, plane.shape, strict=True)
    )
    picked: NDArray[Any] = plane[np.ix_(rows, columns)]
    return picked


def _edge(labels: NDArray[Any], width: int) -> NDArray[np.bool_]:
    """Return the outermost pixels of every label.

    These are the pixels near one of a lower label: where two labels touch there is one line.
    """
    around = np.pad(labels, width, mode="edge")
    lower: NDArray[np.bool_] = np.zeros(labels.shape, dtype=np.bool_)
    rows, columns = labels.shape
    for step in range(-width, width + 1):
        down = around[width + step : width + step + rows, width:-width]
        across = around[width:-width, width + step : width + step + columns]
        lower |= (down < labels) | (across < labels)

    return lower


def _png(picture: NDArray[np.uint8]) -> str:
    from PIL import Image

    buffer = io.BytesIO()
    image = Image.fromarray(picture, "P")
    grays = [n * 255 // (_GRAYS - 1) for n in range(_GRAYS) for _ in range(3)]
    image.putpalette([*grays, *REFERENCE, *PREDICTION])
    image.save(buffer, "PNG", compress_level=9)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


__all__ = ["PREDICTION", "REFERENCE", "Plane", "planes"]
