"""The border to SimpleITK: reads one volume, and fingerprints it in the four ways we compare."""

import math
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import SimpleITK
from blake3 import blake3
from numpy.typing import NDArray

from amid.documents import Geometry

_sitk: Any = SimpleITK
_sitk.ProcessObject.SetGlobalWarningDisplay(False)  # noqa: FBT003 - SimpleITK has it by position

Array = NDArray[Any]


class Unreadable(Exception):
    """The reader would not read it; the message ends a sentence that begins with the file."""


@dataclass(frozen=True, slots=True)
class Volume:
    """A decoded image: voxels with the last axis first (z, y, x, then components)."""

    voxels: Array
    geometry: Geometry


def read(path: Path) -> Volume:
    """Decode a file.

    Raises:
        Unreadable: it is no image, or one that cannot stand in physical space.
    """
    try:
        image = _sitk.ReadImage(str(path))
    except RuntimeError as error:
        raise Unreadable(_plainly(str(error))) from None

    place = (*image.GetSpacing(), *image.GetOrigin(), *image.GetDirection())
    if not all(math.isfinite(number) for number in place):
        raise Unreadable("has an orientation or position that is not a number")

    geometry = Geometry(
        size=tuple(image.GetSize()),
        spacing=tuple(image.GetSpacing()),
        origin=tuple(image.GetOrigin()),
        direction=tuple(image.GetDirection()),
        components=image.GetNumberOfComponentsPerPixel(),
        pixel=image.GetPixelIDTypeAsString(),
    )
    return Volume(voxels=_sitk.GetArrayFromImage(image), geometry=geometry)


def pieces(mask: NDArray[np.bool_]) -> int:
    """Return how many face- or corner-connected pieces a mask has."""
    box = _box(mask)
    if box is None:
        return 0

    image = _sitk.GetImageFromArray(mask[box].astype(np.uint8))
    search = _sitk.ConnectedComponentImageFilter()
    search.FullyConnectedOn()
    search.SetNumberOfThreads(1)  # starting threads takes longer than counting in a small box
    search.Execute(image)
    return int(search.GetObjectCount())


def decoded_hash(volume: Volume) -> str:
    """Return the digest of the voxel bytes with shape and type: survives another gzip level."""
    voxels = np.ascontiguousarray(volume.voxels)
    little = voxels.astype(voxels.dtype.newbyteorder("<"), copy=False)
    tag = f"{little.dtype.str} {' '.join(map(str, little.shape))}\0"
    return blake3(tag.encode()).update(little.view(np.uint8).reshape(-1).data).hexdigest()


def canonical_hash(volume: Volume) -> str:
    """Return the digest of the voxels in closest-canonical axes, minimum removed.

    It survives another type, a constant offset, and a flip of array and affine together.
    """
    voxels = np.ascontiguousarray(_canonical_axes(volume))
    if voxels.dtype.kind == "f" and bool((np.trunc(voxels) == voxels).all()):
        exact = np.abs(voxels).max(initial=0) < 2**53
        voxels = voxels.astype(np.int64) if exact else voxels

    low = voxels.min() if voxels.size else voxels.dtype.type(0)
    if voxels.dtype.kind == "f":
        voxels, kind = voxels.astype("<f8") - np.float64(low), "f"
    else:
        # Unsigned arithmetic wraps, so that the difference is right for every integer type.
        voxels = voxels.astype(np.int64).view(np.uint64) - np.int64(low).view(np.uint64)
        voxels, kind = _narrow(voxels), "u"

    tag = f"{kind} {' '.join(map(str, voxels.shape))}\0"
    return blake3(tag.encode()).update(voxels.view(np.uint8).reshape(-1).data).hexdigest()


def header_hash(geometry: Geometry) -> str:
    """Return the digest of origin, size, spacing and direction as float64."""
    numbers = (*geometry.origin, *geometry.size, *geometry.spacing, *geometry.direction)
    return blake3(struct.pack(f"<{len(numbers)}d", *(n + 0.0 for n in numbers))).hexdigest()


def corners(geometry: Geometry) -> NDArray[np.float64]:
    """Return the physical positions of the outermost voxel centres, one per row."""
    rank = len(geometry.size)
    far = np.asarray(geometry.size, dtype=np.float64) - 1
    unit = np.indices((2,) * rank).reshape(rank, -1).T
    direction = np.asarray(geometry.direction).reshape(rank, rank)
    steps = unit * far * np.asarray(geometry.spacing)
    moved: NDArray[np.float64] = steps @ direction.T + np.asarray(geometry.origin)
    return moved


def _canonical_axes(volume: Volume) -> Array:
    """Turn the voxels so that array axes run along x, y, z of the patient, all increasing."""
    rank = len(volume.geometry.size)
    direction = np.asarray(volume.geometry.direction).reshape(rank, rank)
    # Index axis -> patient axis: the strongest cosines first, each used once.
    strength = np.abs(direction)
    index_of = [0] * rank
    for _ in range(rank):
        patient, index = np.unravel_index(int(strength.argmax()), strength.shape)
        index_of[int(patient)] = int(index)
        strength[patient, :] = strength[:, index] = -1

    extra = range(rank, volume.voxels.ndim)
    turned = volume.voxels.transpose([*(rank - 1 - i for i in index_of), *extra])
    flips = tuple(p for p in range(rank) if direction[p, index_of[p]] < 0)
    return np.flip(turned, axis=flips)


def _narrow(voxels: NDArray[np.uint64]) -> Array:
    """Return the values in 4 bytes where they fit: half the bytes to hash, and one way to do it."""
    return voxels.astype("<u4" if voxels.max(initial=0) < 2**32 else "<u8")


def _box(mask: NDArray[np.bool_]) -> tuple[slice, ...] | None:
    spans = []
    for axis in range(mask.ndim):
        others = tuple(a for a in range(mask.ndim) if a != axis)
        found = np.flatnonzero(mask.any(axis=others))
        if not found.size:
            return None
        spans.append(slice(int(found[0]), int(found[-1]) + 1))

    return tuple(spans)


def _plainly(message: str) -> str:
    known = {
        "Unable to determine ImageIO reader": "is not an image that can be read",
        "orthonormal": "has axes that are not at right angles (a sheared affine)",
        "Zero-valued spacing": "has a spacing of zero or none",
        "does not exist": "is not there",
    }
    for text, says in known.items():
        if text in message:
            return says

    last = message.strip().splitlines()[-1]
    return f"cannot be decoded: {re.sub(r'[(]?0x[0-9a-f]+[)]?', '', last).strip()}"


__all__ = [
    "Array",
    "Unreadable",
    "Volume",
    "canonical_hash",
    "corners",
    "decoded_hash",
    "header_hash",
    "pieces",
    "read",
]
