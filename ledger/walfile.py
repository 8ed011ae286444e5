"""Reads SQLite's write-ahead log by itself, because SQLite hides damage in it.

At the first frame that does not add up SQLite stops and shows what came before, without a word:
a chain cut there still adds up. Frames of an earlier use of the file, which lie behind the last
valid one after a reset, carry other salts and are no damage. What cannot be seen here is a log
that was cut between two commits or taken away: only a head kept elsewhere shows that.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_LITTLE, _BIG = 0x377F0682, 0x377F0683
_VERSION = 3_007_000


@dataclass(frozen=True, slots=True)
class WalState:
    """What a write-ahead log holds."""

    frames: int
    """Frames that add up, from the first."""
    committed: int
    """How many of them belong to finished commits."""
    damage: str | None
    """What does not add up; None when all does."""


class _Header(NamedTuple):
    order: str
    page: int
    salts: tuple[int, int]
    sums: tuple[int, int]


class _Frame(NamedTuple):
    size: int
    """Pages in the database after this commit; 0 inside a commit."""
    salts: tuple[int, int]
    sums: tuple[int, int]
    summed: bytes
    """The bytes that are under the checksum."""


def inspect(path: Path) -> WalState:
    """Return what a write-ahead log holds, reading every frame; an absent one holds nothing."""
    if not path.is_file() or path.stat().st_size == 0:
        return WalState(0, 0, None)

    with path.open("rb") as stream:
        header = _read_header(stream.read(_HEADER.size))
        if isinstance(header, str):
            return WalState(0, 0, header)

        rest = path.stat().st_size - _HEADER.size
        state = _walk(header, _frames(stream, header.page))
        ragged = rest % (_FRAME.size + header.page)

    if state.damage is None and ragged:
        return WalState(state.frames, state.committed, f"it ends in {ragged} stray bytes")

    return state


def _walk(header: _Header, frames: Iterator[_Frame]) -> WalState:
    sums = header.sums
    valid = committed = 0
    good = True

    for index, frame in enumerate(frames, start=1):
        if good:
            sums = _sum(header.order, frame.summed, sums)
            good = sums == frame.sums and frame.salts == header.salts

            if good:
                valid = index
                committed = index if frame.size else committed
                continue

            if sums == frame.sums:
                return WalState(valid, committed, f"the salt of frame {index} was changed")

        if frame.salts == header.salts:
            says = f"frame {valid + 1} does not add up, although frame {index} is of this log"
            return WalState(valid, committed, says)

    return WalState(valid, committed, None)


def _read_header(data: bytes) -> _Header | str:
    if len(data) < _HEADER.size:
        return "its header is cut short"

    magic, version, page, _, salt1, salt2, sum1, sum2 = _HEADER.unpack(data)
    if magic not in (_LITTLE, _BIG) or version != _VERSION:
        return "its header is not one of a write-ahead log"

    order = "<" if magic == _LITTLE else ">"
    if _sum(order, data[:24], (0, 0)) != (sum1, sum2):
        return "its header does not add up"

    return _Header(order, page, (salt1, salt2), (sum1, sum2))


def _frames(stream: BinaryIO, page: int) -> Iterator[_Frame]:
    while len(data := stream.read(_FRAME.size + page)) == _FRAME.size + page:
        _, size, salt1, salt2, sum1, sum2 = _FRAME.unpack_from(data)
        summed = data[:8] + data[_FRAME.size :]
        yield _Frame(size, (salt1, salt2), (sum1, sum2), summed)


def _sum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    """Return SQLite's running checksum after more bytes, a multiple of eight."""
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)

    for left, right in zip(words[::2], words[1::2], strict=True):
        first = (first + left + second) & 0xFFFFFFFF
        second = (second + right + first) & 0xFFFFFFFF

    return first, second


__all__ = ["WalState", "inspect"]
