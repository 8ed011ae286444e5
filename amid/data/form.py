"""What the header of a NIfTI file says of its place, and the file as every reader here takes it.

A header may give two positions (qform and sform), none, or one whose axes are not at right angles,
which ITK refuses. `as_read` returns bytes that ITK reads as the format means them: what differs is
the header alone. Inventory and views take the same bytes, so that every job sees what was checked.
"""

import gzip
import io
import math
import struct
import zlib
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from amid.data.nifti import Header, Refused, parse
from amid.data.space import TOLERANCE

Matrix = NDArray[np.float64]
Rows = tuple[tuple[float, ...], ...]

_SKEWED = 5e-5
"""Cosine between two axes from which on they are straightened; ITK refuses from 1e-4 on."""
_HEAD = 544
_SFORM, _CODES, _SCALING = {1: 280, 2: 400}, {1: 252, 2: 344}, {1: 112, 2: 176}
"""Version to the byte at which rows, codes (qform, sform) and slope with intercept stand."""
_QFORM = {1: 256, 2: 352}
_STEPS = {1: 76, 2: 104}


@dataclass(frozen=True, slots=True)
class Straight:
    """The nearest grid with right angles, its middle where the skewed one's is."""

    rows: Rows
    degrees: float
    """How far the worst pair of axes is from a right angle."""
    mm: float
    """How far the worst outer corner moves."""
    voxels: float
    """The same in voxels, by the smallest side."""

    @property
    def small(self) -> bool:
        """Whether nobody would notice."""
        return self.voxels <= TOLERANCE


def header_of(content: bytes) -> Header | None:
    """Return the header of a NIfTI file, packed or not; None where there is none to be read."""
    try:
        return parse(_head(content))
    except (Refused, zlib.error, struct.error):
        return None


def straight(rows: Rows, size: tuple[int, ...]) -> Straight:
    """Return the grid with right angles that is nearest to a matrix from voxels to millimetres."""
    matrix = np.asarray(rows, dtype=np.float64)
    steps = np.linalg.norm(matrix[:, :3], axis=0)
    turn = matrix[:, :3] / steps
    left, _, right = np.linalg.svd(turn)
    square = (left @ right) * steps
    gap = matrix[:, :3] - square
    middle = (np.asarray(size[:3]) - 1) / 2
    origin = matrix[:, 3] + gap @ middle
    moved = max(
        float(np.linalg.norm(gap @ (np.asarray(size[:3]) / 2 * sides)))
        for sides in product((-1, 1), repeat=3)
    )
    return Straight(
        rows=tuple((*map(float, row), float(at)) for row, at in zip(square, origin, strict=True)),
        degrees=math.degrees(math.asin(min(1.0, _skew(rows)))),
        mm=moved,
        voxels=moved / float(steps.min()),
    )


def skewed(header: Header) -> Straight | None:
    """Return the straightened grid of a file that only a skewed matrix places, or None."""
    if header.sform is None or header.qform is not None or len(header.dims) < 3:
        return None

    return straight(header.sform, header.dims) if _skew(header.sform) > _SKEWED else None


def apart(one: Rows, other: Rows, size: tuple[int, ...]) -> float:
    """Return how many millimetres two matrices put the worst outer corner apart."""
    gap = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    worst = 0.0
    for sides in product((0, 1), repeat=3):
        corner = [side * n - 0.5 for side, n in zip(sides, size[:3], strict=True)]
        worst = max(worst, float(np.linalg.norm(gap @ [*corner, 1.0])))

    return worst


def with_steps(rows: Rows, steps: tuple[float, ...]) -> Rows:
    """Return a matrix with other sides of a voxel: what ITK makes of an sform."""
    matrix = np.asarray(rows, dtype=np.float64)
    long = np.linalg.norm(matrix[:, :3], axis=0)
    if len(steps) < 3 or not (long > 0).all():
        return rows

    turned = matrix[:, :3] / long * np.asarray(steps[:3])
    return tuple(
        (*map(float, row), float(at)) for row, at in zip(turned, matrix[:, 3], strict=True)
    )


def smallest_step(rows: Rows) -> float:
    """Return the smallest side of a voxel in millimetres."""
    return float(np.linalg.norm(np.asarray(rows)[:, :3], axis=0).min())


def as_read(content: bytes, suffix: str) -> bytes:
    """Return a file as it is to be read: the same, or a NIfTI file with its header put right.

    Scaling that does not count is taken out, and axes that are nearly at right angles are put so.
    """
    header = header_of(content) if suffix in (".nii", ".nii.gz") else None
    if header is None:
        return content

    found = skewed(header)
    rows = found.rows if found is not None and found.small else None
    scaled = header.scaling != (header.slope, header.intercept)
    if rows is None and not (scaled and header.scaling != (0.0, 0.0)):
        return content

    return rewritten(content, header, rows)


def rewritten(content: bytes, header: Header, rows: Rows | None, *, both: bool = False) -> bytes:
    """Return a file without scaling that does not count, at the given place where one is given.

    With `both` the place stands in the header as sform and as qform.
    """
    packed = content[:2] == b"\x1f\x8b"
    wanted = header.offset + header.voxels * header.dtype.itemsize  # what a bomb holds is not read
    whole = bytearray(
        gzip.GzipFile(fileobj=io.BytesIO(content)).read(wanted) if packed else content
    )
    real = f"{header.order}{{}}{'f' if header.version == 1 else 'd'}"
    if header.scaling != (header.slope, header.intercept):
        struct.pack_into(real.format(2), whole, _SCALING[header.version], 1.0, 0.0)

    if rows is not None:
        flat = [number for row in rows for number in row]
        struct.pack_into(real.format(12), whole, _SFORM[header.version], *flat)
        if both:
            _put_qform(whole, header, rows, real)

    # A pack of level 1: this is a copy for reading, and its bytes are compared with nothing.
    return gzip.compress(bytes(whole), compresslevel=1, mtime=0) if packed else bytes(whole)


def _put_qform(whole: bytearray, header: Header, rows: Rows, real: str) -> None:
    matrix = np.asarray(rows)
    steps = np.linalg.norm(matrix[:, :3], axis=0)
    turn = matrix[:, :3] / steps
    side = 1.0 if np.linalg.det(turn) > 0 else -1.0
    turn[:, 2] *= side
    quaternion = _quaternion(turn)
    code = f"{header.order}2{'h' if header.version == 1 else 'i'}"
    struct.pack_into(code, whole, _CODES[header.version], 1, 1)
    struct.pack_into(real.format(6), whole, _QFORM[header.version], *quaternion, *matrix[:, 3])
    struct.pack_into(real.format(4), whole, _STEPS[header.version], side, *steps)


def _quaternion(turn: Matrix) -> tuple[float, float, float]:
    """Return b, c, d of the unit quaternion with a >= 0 of a rotation."""
    t = turn
    products = np.zeros((4, 4))  # its lower triangle is what is read (Bar-Itzhack)
    products[0, 0] = t[0, 0] - t[1, 1] - t[2, 2]
    products[1, :2] = t[0, 1] + t[1, 0], t[1, 1] - t[0, 0] - t[2, 2]
    products[2, :3] = t[0, 2] + t[2, 0], t[1, 2] + t[2, 1], t[2, 2] - t[0, 0] - t[1, 1]
    products[3] = t[2, 1] - t[1, 2], t[0, 2] - t[2, 0], t[1, 0] - t[0, 1], t.trace()
    values, vectors = np.linalg.eigh(products / 3)
    b, c, d, a = vectors[:, int(values.argmax())]
    sign = -1.0 if a < 0 else 1.0
    return float(sign * b), float(sign * c), float(sign * d)


def _skew(rows: Rows) -> float:
    """Return the largest cosine between two axes."""
    matrix = np.asarray(rows, dtype=np.float64)[:, :3]
    steps = np.linalg.norm(matrix, axis=0)
    if not (np.isfinite(steps).all() and (steps > 0).all()):
        return 0.0

    turn = matrix / steps
    return float(np.abs(turn.T @ turn - np.eye(3)).max())


def _head(content: bytes) -> bytes:
    if content[:2] != b"\x1f\x8b":
        return content[:_HEAD]

    stream = zlib.decompressobj(wbits=31)
    return stream.decompress(content[: 1 << 16], _HEAD)


__all__ = [
    "Rows",
    "Straight",
    "apart",
    "as_read",
    "header_of",
    "rewritten",
    "skewed",
    "smallest_step",
    "straight",
    "with_steps",
]
