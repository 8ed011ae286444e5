"""Checks the bytes of an image file before a reader is trusted with them.

Needed because a reader can be too kind: without a word, ITK fills a truncated NIfTI file with
zeros, replaces a spacing of zero by one, and reads NaN and infinity as zero.
"""

import math
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from amid.data import pictures
from amid.data.nifti import FIRST
from amid.data.texthead import Body, metaimage, nrrd

SUFFIXES = (".nii.gz", ".nii", ".mha", ".nrrd", *pictures.SUFFIXES)
"""Single-file formats that can be copied, hashed and judged as one thing."""

_PACKED = b"\x1f\x8b"
"""How a gzip file begins."""
_CHUNK = 1 << 12
_MOST = 1 << 33
"""Bytes that are unpacked and looked at; a whole-body CT at half a millimetre fits."""
_HEADER = 348
_HEADER_BOTH = 544
"""Bytes that hold the header of either NIfTI version."""
_SECOND = (b"\x1c\x02\0\0", b"\0\0\x02\x1c")
"""How a NIfTI-2 header begins."""
_SINGLE = (b"n+1\0", b"n+2\0")
"""What a header with voxels behind it says of itself, by version."""
_FLOATS = {16: "f4", 64: "f8"}
"""NIfTI's type codes of real numbers."""


@dataclass(frozen=True, slots=True)
class Defect:
    """Why a file cannot be used."""

    code: str
    says: str
    do: str


def suffix(path: str) -> str | None:
    """Return the known suffix of a path, or None."""
    return next((known for known in SUFFIXES if path.lower().endswith(known)), None)


def defect(content: bytes, kind: str) -> Defect | None:
    """Return what is wrong with the bytes of a file of this suffix, or None."""
    if not content:
        return Defect("unreadable", "is empty", "copy it again from its source")

    if kind in pictures.SUFFIXES:
        says = pictures.broken(content, kind)
        return None if says is None else Defect("unreadable", says, "copy it again from its source")

    match kind:
        case ".nii.gz" if content[:2] != _PACKED and _layout(content) is not None:
            says = "is not compressed, although its name ends in .nii.gz"
            return Defect("suffix", says, "name it .nii, or compress it with gzip")
        case ".nii.gz":
            unpacked = _unpack(content)
            return unpacked if isinstance(unpacked, Defect) else _nifti(unpacked)
        case ".nii" if content[:2] == _PACKED:
            says = "is compressed, although its name ends in .nii"
            return Defect("suffix", says, "name it .nii.gz")
        case ".nii":
            return _nifti(content)
        case ".mha":
            return _detached(content, b"elementdatafile", b"local") or _short(content, metaimage)
        case _:
            return (
                _detached(content, b"data file", b"")
                or _detached(content, b"datafile", b"")
                or _short(content, nrrd)
            )


def not_finite(voxels: NDArray[np.floating[Any]]) -> Defect | None:
    """Return a defect where voxels are NaN or infinite."""
    bad = int(voxels.size - np.count_nonzero(np.isfinite(voxels)))
    if not bad:
        return None

    says = f"has {bad} voxels of {voxels.size} that are NaN or infinite"
    return Defect("not-finite", says, "replace them by a number at the source")


def _unpack(content: bytes) -> Defect | bytes:
    """Return what a gzip file holds, or why it is not whole."""
    found: list[bytes] = []
    at = 0

    head: bytes | None = None
    room = _MOST

    try:
        while at < len(content):
            stream = zlib.decompressobj(wbits=31)
            while at < len(content) and not stream.eof:
                piece = content[at : at + _CHUNK]
                block = stream.decompress(piece)
                found.append(block[:room])
                room -= len(found[-1])
                at += len(piece) - len(stream.unused_data)
                if head is None and sum(map(len, found)) >= _HEADER_BOTH:
                    head = b"".join(found)
                    room = max(0, _needed(head) - len(head))

            if not stream.eof:
                says = f"is cut short: the compressed data end after {len(content)} bytes"
                return Defect("truncated", says, "copy it again from its source")

            while at < len(content) and content[at] == 0:
                at += 1
    except zlib.error as error:
        says = f"is not a whole gzip file ({error})"
        return Defect("unreadable", says, "copy it again from its source")

    return b"".join(found)


def _needed(head: bytes) -> int:
    """Return how many bytes a header promises: no more are kept of what is unpacked.

    Zeros pack a thousandfold, and what lies behind the voxels is nobody's.
    """
    layout = _layout(head)
    return 0 if layout is None else min(layout.needed, _MOST)


def _nifti(content: bytes) -> Defect | None:
    layout = _layout(content)
    if layout is None:
        return Defect("unreadable", "is not a NIfTI file", "name an image, or correct its suffix")

    if layout.magic not in _SINGLE:
        says = "is not a NIfTI file that holds its own voxels"
        return Defect("unreadable", says, "write it as one file (.nii.gz)")

    first = FIRST[1 if layout.magic == _SINGLE[0] else 2]
    if not layout.start >= first or layout.start % 1:  # NaN is not at least anything
        says = f"says that its voxels start at byte {layout.start:g}; the earliest is {first}"
        return Defect("unreadable", says, "write the file anew: its header is damaged")

    needed = layout.needed
    if needed > _MOST:
        says = f"promises {needed} bytes in its header; at most {_MOST} are read"
        return Defect("too-large", says, "correct the header, or resample the image")

    if len(content) < needed:
        says = f"is cut short: its header promises {needed} bytes, {len(content)} are there"
        return Defect("truncated", says, "copy it again from its source")

    for axis, step in zip("xyz", layout.spacing, strict=False):
        if step == 0 or not math.isfinite(step):
            says = f"has a spacing of {step:g} along {axis}"
            return Defect("zero-spacing", says, "write the true voxel size into its header")

    if not all(math.isfinite(number) for number in layout.place):
        says = "has an orientation or position that is not a number"
        return Defect("not-finite", says, "write a true sform or qform into its header")

    if layout.code not in _FLOATS:
        return None

    kind = np.dtype(_FLOATS[layout.code]).newbyteorder(layout.order)
    count = math.prod(layout.shape)
    return not_finite(np.frombuffer(content, kind, count=count, offset=layout.offset))


@dataclass(frozen=True, slots=True)
class _Layout:
    """What a NIfTI header says about the bytes that follow."""

    order: Literal["<", ">"]
    shape: Sequence[int]
    spacing: Sequence[float]
    start: float
    """Byte at which the voxels begin, as it is written."""
    magic: bytes
    code: int
    bits: int
    place: Sequence[float]
    """Numbers of the sform and the qform, of those that are declared."""

    @property
    def offset(self) -> int:
        """Byte at which the voxels begin, or 0 where what is written cannot be meant."""
        return int(self.start) if math.isfinite(self.start) and self.start >= 0 else 0

    @property
    def needed(self) -> int:
        """Bytes of header and voxels."""
        return self.offset + math.prod(self.shape) * self.bits // 8


def _layout(content: bytes) -> _Layout | None:
    """Return the layout of a NIfTI-1 or NIfTI-2 file, or None where it is neither."""
    orders: tuple[Literal["<"], Literal[">"]] = ("<", ">")
    for order in orders:
        if len(content) < (540 if content[:4] in _SECOND else _HEADER):
            return None

        (size,) = struct.unpack_from(f"{order}i", content, 0)
        if size == 348:
            dims = struct.unpack_from(f"{order}8h", content, 40)
            code, bits = struct.unpack_from(f"{order}hh", content, 70)
            steps = struct.unpack_from(f"{order}8f", content, 76)
            (start,) = struct.unpack_from(f"{order}f", content, 108)
            qcode, scode = struct.unpack_from(f"{order}hh", content, 252)
            turn = struct.unpack_from(f"{order}6f", content, 256)
            rows = struct.unpack_from(f"{order}12f", content, 280)
        elif size == 540:
            code, bits = struct.unpack_from(f"{order}hh", content, 12)
            dims = struct.unpack_from(f"{order}8q", content, 16)
            steps = struct.unpack_from(f"{order}8d", content, 104)
            (start,) = struct.unpack_from(f"{order}q", content, 168)
            qcode, scode = struct.unpack_from(f"{order}ii", content, 344)
            turn = struct.unpack_from(f"{order}6d", content, 352)
            rows = struct.unpack_from(f"{order}12d", content, 400)
        else:
            continue

        rank = dims[0]
        if 1 <= rank <= 7 and all(n >= 1 for n in dims[1 : rank + 1]):
            magic = content[344:348] if size == 348 else content[4:8]
            shape, spacing = dims[1 : rank + 1], steps[1 : rank + 1]
            place = (*(turn if qcode > 0 else ()), *(rows if scode > 0 else ()))
            return _Layout(order, shape, spacing, start, magic, code, bits, place)

    return None


def _short(content: bytes, read: Callable[[bytes], Body | None]) -> Defect | None:
    """Return a defect where fewer voxels follow a text header than it promises."""
    body = read(content)
    if body is None:
        return None

    there = body.there(content)
    if there >= body.needed:
        return None

    says = f"is cut short: its header promises {body.needed} bytes of voxels, {there} are there"
    return Defect("truncated", says, "copy it again from its source")


def _detached(content: bytes, key: bytes, fine: bytes) -> Defect | None:
    """Return a defect where a header names another file that holds the voxels."""
    for line in content[:65_536].split(b"\n")[:200]:
        name, mark, value = line.partition(b"=" if fine else b":")
        if name.strip().lower() == key and mark:
            if fine and value.strip().lower() == fine:
                return None
            says = "keeps its voxels in another file"
            return Defect("detached", says, "write it as one file (.nii.gz or .mha)")

        if not fine and not line.strip():
            return None

    return None


__all__ = ["SUFFIXES", "Defect", "defect", "not_finite", "suffix"]
