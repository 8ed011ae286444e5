"""Text headers of MetaImage and NRRD: where the voxels begin, and how many bytes they are. Pure."""

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

_META = {
    "MET_CHAR": 1, "MET_UCHAR": 1, "MET_SHORT": 2, "MET_USHORT": 2, "MET_INT": 4, "MET_UINT": 4,
    "MET_LONG": 4, "MET_ULONG": 4, "MET_LONG_LONG": 8, "MET_ULONG_LONG": 8, "MET_FLOAT": 4,
    "MET_DOUBLE": 8,
}  # fmt: skip
_NRRD = {
    "char": 1, "signed char": 1, "uchar": 1, "unsigned char": 1, "int8": 1, "uint8": 1,
    "short": 2, "ushort": 2, "short int": 2, "signed short": 2, "unsigned short": 2, "int16": 2,
    "uint16": 2, "int": 4, "uint": 4, "signed int": 4, "unsigned int": 4, "int32": 4, "uint32": 4,
    "longlong": 8, "ulonglong": 8, "long long": 8, "unsigned long long": 8, "int64": 8,
    "uint64": 8, "float": 4, "double": 8,
}  # fmt: skip
_MOST_HEADER = 65_536


@dataclass(frozen=True, slots=True)
class Body:
    """The voxels behind a header."""

    start: int
    needed: int
    """Bytes, unpacked."""
    packed: int | None
    """`wbits` of zlib; None where they are not compressed."""
    placed: bool
    """Whether the header says where the image lies."""

    def there(self, content: bytes) -> int:
        """Return how many bytes of voxels there are, at most those that are needed."""
        rest = content[self.start :]
        if self.packed is None:
            return min(len(rest), self.needed)

        stream = zlib.decompressobj(wbits=self.packed)
        found = 0
        try:
            while rest and found < self.needed and not stream.eof:
                found += len(stream.decompress(rest, 1 << 20))
                rest = stream.unconsumed_tail
            found += len(stream.flush()) if found < self.needed else 0
        except zlib.error:
            return min(found, self.needed - 1)

        return min(found, self.needed)


def metaimage(content: bytes) -> Body | None:
    """Return where the voxels of a `.mha` lie, or None where its header is of another kind."""
    head, mark, _ = content[:_MOST_HEADER].partition(b"\nElementDataFile")
    end = content.find(b"\n", len(head) + len(mark)) + 1
    fields = _fields(head, "=")
    size = _META.get(fields.get("elementtype", ""))
    if not mark or not end or size is None or "headersize" in fields:
        return None

    if fields.get("binarydata", "true").casefold() != "true":
        return None

    voxels = _product(fields.get("dimsize", ""))
    parts = _product(fields.get("elementnumberofchannels", "1"))
    if voxels is None or parts is None:
        return None

    packed = fields.get("compresseddata", "false").casefold() == "true"
    placed = any(name in fields for name in ("offset", "position", "origin"))
    return Body(end, voxels * parts * size, 47 if packed else None, placed)


def nrrd(content: bytes) -> Body | None:
    """Return where the voxels of a `.nrrd` lie, or None where its header is of another kind."""
    top = content[:_MOST_HEADER]
    blank = min((b"\n\n", b"\r\n\r\n"), key=lambda end: top.find(end) % _MOST_HEADER)
    head, mark, _ = top.partition(blank)
    fields = _fields(head, ":")
    size = _NRRD.get(fields.get("type", "").removesuffix("_t"))
    voxels = _product(fields.get("sizes", ""))
    skips = any(f"{what} skip" in fields or f"{what}skip" in fields for what in ("line", "byte"))
    encoding = fields.get("encoding", "")
    if not mark or size is None or voxels is None or skips:
        return None

    if encoding not in ("raw", "gzip", "gz"):
        return None

    placed = "space directions" in fields and "space origin" in fields
    return Body(len(head) + len(mark), voxels * size, None if encoding == "raw" else 47, placed)


def _fields(head: bytes, mark: str) -> Mapping[str, str]:
    found = {}
    for line in head.decode("latin-1").splitlines():
        name, _, value = line.partition(mark)
        found[name.strip().casefold()] = value.removeprefix("=").strip()

    return found


def _product(text: str) -> int | None:
    try:
        return math.prod(int(part) for part in text.split()) if text.split() else None
    except ValueError:
        return None


__all__ = ["Body", "metaimage", "nrrd"]
