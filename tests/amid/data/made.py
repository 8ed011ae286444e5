"""NIfTI files made on the spot, with headers that a well-behaved writer would not write."""

import gzip
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = tuple[tuple[float, float, float, float], ...]

SIZE = (8, 6, 4)
RAS: Rows = ((1, 0, 0, -3), (0, 1, 0, -2), (0, 0, 1.5, -1))
LAS: Rows = ((-1, 0, 0, 4), (0, 1, 0, -2), (0, 0, 1.5, -1))
CODES = {"uint8": (2, 8), "int16": (4, 16), "float32": (16, 32), "float64": (64, 64)}


def voxels(kind: str = "uint8") -> NDArray[Any]:
    """Return labels 0, 1 and 2 in (x, y, z) order, or grey values over the same places."""
    array = np.zeros(SIZE, kind)
    array[1:4, 1:4, 1:3] = 1
    array[5:7, 1:4, 1:3] = 2
    if kind != "uint8":
        noise = np.arange(array.size).reshape(SIZE) % 17
        array = (100 + 60 * array + noise).astype(kind)

    return array


def nifti(
    array: NDArray[Any] | None = None,
    *,
    sform: Rows | None = RAS,
    qform: tuple[float, ...] | None = None,
    codes: tuple[int, int] | None = None,
    offset: float = 352,
    scaling: tuple[float, float] = (1, 0),
    magic: bytes = b"n+1\0",
) -> bytes:
    """Return an uncompressed file.

    Args:
        array: voxels in (x, y, z) order.
        sform: rows of the matrix; None leaves it out.
        qform: b, c, d of the quaternion and the offset; None leaves it out.
        codes: of qform and sform, where not 1 for those given and 0 for others.
        offset: byte at which the header says that voxels start.
        scaling: slope and intercept.
        magic: what the header says of itself.
    """
    array = voxels() if array is None else array
    code, bits = CODES[array.dtype.name]
    head = bytearray(352)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, 3, *array.shape, 1, 1, 1, 1)
    struct.pack_into("<hh", head, 70, code, bits)
    struct.pack_into("<8f", head, 76, 1, 1, 1, 1.5, 0, 0, 0, 0)
    struct.pack_into("<fff", head, 108, offset, *scaling)
    head[123] = 2
    given = codes or (int(qform is not None), int(sform is not None))
    struct.pack_into("<hh", head, 252, *given)
    if qform is not None:
        struct.pack_into("<6f", head, 256, *qform)
    if sform is not None:
        struct.pack_into("<12f", head, 280, *(number for row in sform for number in row))
    head[344:348] = magic
    return bytes(head) + array.tobytes(order="F")


def write(path: Path, content: bytes) -> Path:
    """Write a file, packed where its name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, mtime=0) if path.name.endswith(".gz") else content)
    return path
