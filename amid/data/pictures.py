"""Checks the bytes of PNG, JPEG and TIFF files before a reader is trusted with them. Pure."""

import struct
import zlib

PNG, JPEG, TIFF = (".png",), (".jpg", ".jpeg"), (".tif", ".tiff")
SUFFIXES = (*PNG, *JPEG, *TIFF)

MOST = 2**28
"""Places that a picture may declare; a whole slide is no picture of a case."""

_PNG = b"\x89PNG\r\n\x1a\n"
_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


def broken(content: bytes, suffix: str) -> str | None:
    """Return what is wrong with a picture, as the end of a sentence; None where nothing is."""
    if suffix in PNG:
        return _png(content)

    if suffix in JPEG:
        return _jpeg(content)

    return None if content.startswith(_TIFF) else "is no TIFF file"


def _png(content: bytes) -> str | None:
    """Walk the chunks: each has its length, its name and a sum over both name and content."""
    if not content.startswith(_PNG):
        return "is no PNG file"

    at = len(_PNG)
    while at + 12 <= len(content):
        length, name = struct.unpack(">I4s", content[at : at + 8])
        body = content[at + 8 : at + 8 + length]
        end = at + 12 + length
        if end > len(content):
            return f"is cut short inside {name!r}"

        if zlib.crc32(name + body) != struct.unpack(">I", content[end - 4 : end])[0]:
            return f"holds a damaged chunk {name!r}"

        if name == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
            if not 0 < width * height <= MOST:
                return f"declares {width} × {height} places"

        if name == b"IEND":
            return None if end == len(content) else "has something behind its end"

        at = end

    return "is cut short"


def _jpeg(content: bytes) -> str | None:
    if not content.startswith(b"\xff\xd8\xff"):
        return "is no JPEG file"

    return None if content.rstrip(b"\0").endswith(b"\xff\xd9") else "is cut short"


__all__ = ["SUFFIXES", "broken"]
