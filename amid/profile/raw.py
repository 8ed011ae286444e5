"""Checks the bytes of an image file before a reader is trusted with them.

Needed because a reader can be too kind: ITK fills a truncated NIfTI file with zeros and replaces a
spacing of zero by one, both without a word.
"""

import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

SUFFIXES = (".nii.gz", ".nii", ".mha", ".nrrd")
"""Single-file formats that can be copied, hashed and judged as one thing."""

_CHUNK = 1 << 18
_HEADER = 544


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

    match kind:
        case ".nii.gz":
            unpacked = _unpack(content)
            return unpacked if isinstance(unpacked, Defect) else _nifti(*unpacked)
        case ".nii":
            return _nifti(content[:_HEADER], len(content))
        case ".mha":
            return _detached(content, b"elementdatafile", b"local")
        case _:
            return _detached(content, b"data file", b"") or _detached(content, b"datafile", b"")


def _unpack(content: bytes) -> Defect | tuple[bytes, int]:
    """Return the first bytes and the length of a gzip file, or why it is not whole."""
    head, length, at = b"", 0, 0

    try:
        while at < len(content):
            stream = zlib.decompressobj(wbits=31)
            while at < len(content) and not stream.eof:
                piece = content[at : at + _CHUNK]
                voxels = stream.decompress(piece)
                at += len(piece) - len(stream.unused_data)
                length += len(voxels)
                if len(head) < _HEADER:
                    head = (head + voxels)[:_HEADER]

            if not stream.eof:
                says = f"is cut short: the compressed data end after {len(content)} bytes"
                return Defect("truncated", says, "copy it again from its source")

            while at < len(content) and content[at] == 0:
                at += 1
    except zlib.error as error:
        says = f"is not a whole gzip file ({error})"
        return Defect("unreadable", says, "copy it again from its source")

    return head, length


def _nifti(head: bytes, length: int) -> Defect | None:
    layout = _layout(head)
    if layout is None:
        return Defect("unreadable", "is not a NIfTI file", "name an image, or correct its suffix")

    shape, spacing, offset, bits = layout
    needed = offset + math.prod(shape) * bits // 8
    if length < needed:
        says = f"is cut short: its header promises {needed} bytes, {length} are there"
        return Defect("truncated", says, "copy it again from its source")

    for axis, step in zip("xyz", spacing, strict=False):
        if step == 0 or not math.isfinite(step):
            says = f"has a spacing of {step:g} along {axis}"
            return Defect("zero-spacing", says, "write the true voxel size into its header")

    return None


def _layout(head: bytes) -> tuple[Sequence[int], Sequence[float], int, int] | None:
    """Return shape, spacing, data offset and bits per voxel of a NIfTI-1 or NIfTI-2 header."""
    if len(head) < 348:
        return None

    for order in "<>":
        (size,) = struct.unpack_from(f"{order}i", head, 0)
        if size == 348:
            dims = struct.unpack_from(f"{order}8h", head, 40)
            steps = struct.unpack_from(f"{order}8f", head, 76)
            (start,) = struct.unpack_from(f"{order}f", head, 108)
            (bits,) = struct.unpack_from(f"{order}h", head, 72)
        elif size == 540 and len(head) >= 540:
            dims = struct.unpack_from(f"{order}8q", head, 16)
            steps = struct.unpack_from(f"{order}8d", head, 104)
            (start,) = struct.unpack_from(f"{order}q", head, 168)
            (bits,) = struct.unpack_from(f"{order}h", head, 14)
        else:
            continue

        rank = dims[0]
        if 1 <= rank <= 7 and all(n >= 1 for n in dims[1 : rank + 1]):
            offset = int(start) if math.isfinite(start) and start >= 0 else size
            return dims[1 : rank + 1], steps[1 : rank + 1], offset, bits

    return None


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


__all__ = ["SUFFIXES", "Defect", "defect", "suffix"]
