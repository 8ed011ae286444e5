"""Writes the NIfTI-1 files of the tasks made on the spot: the same bytes for the same voxels."""

import gzip
import struct

import numpy as np
from numpy.typing import NDArray

Triple = tuple[float, float, float]


def encode(
    array: NDArray[np.int16] | NDArray[np.uint8], *, spacing: Triple, origin: Triple
) -> bytes:
    """Return a NIfTI-1 file, compressed without a name or a time in its header.

    Args:
        array: voxels in (x, y, z) order, axes to right, front and top.
        spacing: millimetres per voxel.
        origin: position of the first voxel in millimetres.
    """
    code, bits = (4, 16) if array.dtype == np.int16 else (2, 8)
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, *array.shape, 1, 1, 1, 1)
    struct.pack_into("<hh", header, 70, code, bits)
    struct.pack_into("<8f", header, 76, 1, *spacing, 0, 0, 0, 0)
    struct.pack_into("<fff", header, 108, 352, 1, 0)
    header[123] = 2  # millimetres
    struct.pack_into("<hh", header, 252, 0, 1)
    for row in range(3):
        cells = [0.0, 0.0, 0.0, origin[row]]
        cells[row] = spacing[row]
        struct.pack_into("<4f", header, 280 + 16 * row, *cells)
    header[344:348] = b"n+1\0"
    voxels = array.astype(array.dtype.newbyteorder("<")).tobytes(order="F")
    return gzip.compress(bytes(header) + voxels, compresslevel=6, mtime=0)


__all__ = ["encode"]
