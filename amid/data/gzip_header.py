"""Takes out of a gzip file what it says besides its content: name, comment, time, system."""

import zlib

PLAIN = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""A header that says nothing: no name, no time, unknown system."""

_CHUNK = 1 << 18
_CHECKSUM, _EXTRA, _NAME, _COMMENT = 2, 4, 8, 16


def strip(content: bytes) -> bytes:
    """Return the same compressed stream under plain headers, member by member.

    Raises:
        ValueError: the content is not a whole gzip file.
    """
    found: list[bytes] = []
    at = 0

    while at < len(content):
        end = _end(content, at)
        found += (PLAIN, content[_body(content, at) : end])
        at = end
        while at < len(content) and content[at] == 0:
            at += 1

    return b"".join(found)


def _body(content: bytes, at: int) -> int:
    """Return where the compressed data of the member at `at` begin."""
    flags = content[at + 3]
    place = at + 10

    if flags & _EXTRA:
        place += 2 + int.from_bytes(content[place : place + 2], "little")

    for flag in (_NAME, _COMMENT):
        if flags & flag:
            place = content.index(b"\0", place) + 1

    return place + 2 if flags & _CHECKSUM else place


def _end(content: bytes, at: int) -> int:
    """Return where the member at `at` ends, its checksum included."""
    stream = zlib.decompressobj(wbits=31)

    try:
        while at < len(content) and not stream.eof:
            piece = content[at : at + _CHUNK]
            stream.decompress(piece)
            at += len(piece) - len(stream.unused_data)
    except zlib.error as error:
        raise ValueError(f"not a gzip file: {error}") from None

    if not stream.eof:
        raise ValueError("the gzip file is cut short")

    return at


__all__ = ["PLAIN", "strip"]
