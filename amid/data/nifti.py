"""A bounded reader of NIfTI-1 and NIfTI-2 files that may have been made to do harm.

The header is read first and decides how many bytes are wanted; never more than that is unpacked.
ITK would fill a truncated file with zeros without a word; here it is an error. Positions in space
are left to ITK, which reads headers only.
"""

import gzip
import io
import math
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

MAX_VOXELS = 2**29
"""Half a billion: a whole-body CT at half a millimetre. Larger is refused before unpacking."""

FIRST = {1: 352, 2: 544}
"""Version to where voxels may start at the earliest: behind the header and the four bytes that say
whether more follows."""

_TYPES = {
    2: "u1",
    4: "i2",
    8: "i4",
    16: "f4",
    64: "f8",
    256: "i1",
    512: "u2",
    768: "u4",
    1024: "i8",
    1280: "u8",
}
_NAMES = {
    "u1": "8-bit unsigned integer",
    "i2": "16-bit signed integer",
    "i4": "32-bit signed integer",
    "f4": "32-bit float",
    "f8": "64-bit float",
    "i1": "8-bit signed integer",
    "u2": "16-bit unsigned integer",
    "u4": "32-bit unsigned integer",
    "i8": "64-bit signed integer",
    "u8": "64-bit unsigned integer",
}


class Refused(Exception):
    """The file is not a NIfTI image that can be read whole; the message says why."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a NIfTI header declares, as far as it is used."""

    version: Literal[1, 2]
    order: str
    """`<` or `>`, as in `struct`."""
    dims: tuple[int, ...]
    """As declared, x first; a trailing 1 counts."""
    dtype: np.dtype[np.generic]
    pixel: str
    steps: tuple[float, ...]
    """Sides of a voxel as they are written beside the forms."""
    offset: int
    scaling: tuple[float, float]
    """Slope and intercept as they are written."""
    slope: float
    """As they count: a slope of 0, or what is no number, means that nothing is scaled."""
    intercept: float
    sform: tuple[tuple[float, ...], ...] | None
    """Rows of the matrix to RAS mm; None when its code is 0."""
    qform: tuple[tuple[float, ...], ...] | None

    @property
    def voxels(self) -> int:
        """Declared number of values."""
        return math.prod(self.dims)


def read_header(path: Path) -> Header:
    """Read and check the header; nothing else is unpacked.

    Raises:
        Refused: the bytes are not a single-file NIfTI image of a known type and a sane size.
    """
    try:
        with _stream(path) as stream:
            return parse(stream.read(540))
    except (OSError, EOFError, zlib.error, struct.error) as trouble:
        raise Refused(f"the header cannot be read: {trouble}") from trouble


def read_voxels(path: Path, header: Header) -> NDArray[np.generic]:
    """Read exactly the declared values, axes reversed (z, y, x) as ITK's arrays have them.

    Raises:
        Refused: more values declared than `MAX_VOXELS`, or fewer in the file than declared.
    """
    if header.voxels > MAX_VOXELS:
        raise Refused(
            f"the header declares {header.voxels} voxels; at most {MAX_VOXELS} are unpacked"
        )

    wanted = header.voxels * header.dtype.itemsize
    try:
        with _stream(path) as stream:
            if len(stream.read(header.offset)) < header.offset:
                raise Refused("the file ends inside the header")

            data = stream.read(wanted)
    except (OSError, EOFError, zlib.error) as trouble:
        raise Refused(f"the voxels cannot be unpacked: {trouble}") from trouble

    if len(data) < wanted:
        raise Refused(f"the header declares {wanted} bytes of voxels; the file has {len(data)}")

    array = np.frombuffer(data, dtype=header.dtype).reshape(header.dims[::-1])
    if (header.slope, header.intercept) != (1.0, 0.0):
        return array.astype(np.float64) * header.slope + header.intercept

    return array


def _stream(path: Path) -> io.BufferedIOBase:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"

    return gzip.open(path, "rb") if packed else path.open("rb")


def parse(raw: bytes) -> Header:
    """Check and return the header at the beginning of unpacked bytes.

    Raises:
        Refused: as `read_header` does.
    """
    if len(raw) < 348:
        raise Refused(f"only {len(raw)} bytes: a NIfTI header has 348")

    for order in "<>":
        (size,) = struct.unpack(order + "i", raw[:4])
        if size == 348:
            return _first(raw, order)

        if size == 540 and len(raw) >= 540:
            return _second(raw, order)

    raise Refused("the first bytes are not those of a NIfTI header")


def _first(raw: bytes, order: str) -> Header:
    if raw[344:348] != b"n+1\0":
        raise Refused("not a single-file NIfTI-1 image (magic is not `n+1`)")

    dim = struct.unpack(order + "8h", raw[40:56])
    (kind,) = struct.unpack(order + "h", raw[70:72])
    pixdim = struct.unpack(order + "8f", raw[76:108])
    offset, slope, intercept = struct.unpack(order + "3f", raw[108:120])
    qcode, scode = struct.unpack(order + "2h", raw[252:256])
    quaternion = struct.unpack(order + "6f", raw[256:280])
    rows = struct.unpack(order + "12f", raw[280:328])
    return _header(1, order, dim, kind, pixdim, offset, (slope, intercept), qcode, scode,
                   quaternion, rows)  # fmt: skip


def _second(raw: bytes, order: str) -> Header:
    if raw[4:8] != b"n+2\0":
        raise Refused("not a single-file NIfTI-2 image (magic is not `n+2`)")

    (kind,) = struct.unpack(order + "h", raw[12:14])
    dim = struct.unpack(order + "8q", raw[16:80])
    pixdim = struct.unpack(order + "8d", raw[104:168])
    (offset,) = struct.unpack(order + "q", raw[168:176])
    slope, intercept = struct.unpack(order + "2d", raw[176:192])
    qcode, scode = struct.unpack(order + "2i", raw[344:352])
    quaternion = struct.unpack(order + "6d", raw[352:400])
    rows = struct.unpack(order + "12d", raw[400:496])
    return _header(2, order, dim, kind, pixdim, offset, (slope, intercept), qcode, scode,
                   quaternion, rows)  # fmt: skip


def _header(
    version: Literal[1, 2],
    order: str,
    dim: tuple[int, ...],
    kind: int,
    pixdim: tuple[float, ...],
    offset: float,
    scaling: tuple[float, float],
    qcode: int,
    scode: int,
    quaternion: tuple[float, ...],
    rows: tuple[float, ...],
) -> Header:
    if not 1 <= dim[0] <= 7:
        raise Refused(f"the header declares {dim[0]} dimensions")

    dims = dim[1 : dim[0] + 1]
    if min(dims) < 1:
        raise Refused(f"the header declares a size of {dims}")

    if kind not in _TYPES:
        raise Refused(f"pixel type {kind} is not a plain number (colour, complex or unknown)")

    if not math.isfinite(offset) or not FIRST[version] <= offset <= 2**24 or offset % 1:
        raise Refused(f"the voxels are said to start at byte {offset}")

    slope, intercept = scaling
    plain = slope == 0 or not math.isfinite(slope) or not math.isfinite(intercept)
    sform = (rows[0:4], rows[4:8], rows[8:12]) if scode > 0 else None
    qform = _from_quaternion(quaternion, pixdim) if qcode > 0 else None
    code = _TYPES[kind]
    return Header(
        version=version,
        order=order,
        dims=dims,
        dtype=np.dtype(order + code),
        pixel=_NAMES[code],
        steps=tuple(abs(step) for step in pixdim[1:4]),
        offset=int(offset),
        scaling=scaling,
        slope=1.0 if plain else slope,
        intercept=0.0 if plain else intercept,
        sform=sform,
        qform=qform,
    )


def _from_quaternion(
    parts: tuple[float, ...], pixdim: tuple[float, ...]
) -> tuple[tuple[float, ...], ...]:
    """Return the rows of the qform matrix, as the NIfTI standard defines it."""
    b, c, d, *shift = parts
    rest = 1 - (b * b + c * c + d * d)
    a = math.sqrt(rest) if rest >= 1e-7 else 0.0
    if rest < 1e-7:  # half a turn: without this the rounding of b, c, d turns it by 3e-4
        scale = 1 / math.sqrt(b * b + c * c + d * d)
        b, c, d = b * scale, c * scale, d * scale

    turn = (
        (a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)),
        (2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)),
        (2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - c * c - b * b),
    )
    side = -1.0 if pixdim[0] < 0 else 1.0
    steps = (pixdim[1], pixdim[2], pixdim[3] * side)
    return tuple(
        (*(value * step for value, step in zip(row, steps, strict=True)), shift[i])
        for i, row in enumerate(turn)
    )
