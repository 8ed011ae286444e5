"""Hashes what a job left behind, and refuses what may not be an output.

Run after every process of the job is gone, so nothing changes under the reader.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from blake3 import blake3

from runtime.adapters.sandbox.room import MOST_FILES

_DEPTH = 32
_FILES = MOST_FILES["out"]
_HOLES = 16 << 20
_CHUNK = 1 << 20


class OutputRefused(Exception):
    """Something under `out/` is not a plain file in a plain place; says which."""


def take(folder: Path) -> list[dict[str, object]]:
    """Return {path, digest, bytes} of every file, sorted by path.

    Raises:
        OutputRefused: a link, a device, a strange name, or too much of it.
    """
    found: list[dict[str, object]] = []
    for path in _files(folder, "", 0):
        if len(found) >= _FILES:
            raise OutputRefused(f"more than {_FILES} files in out/")

        found.append(_hashed(folder, path))

    return sorted(found, key=lambda item: str(item["path"]).encode())


def _files(folder: Path, prefix: str, depth: int) -> Iterator[str]:
    if depth > _DEPTH:
        raise OutputRefused(f"out/{prefix[:80]}... is more than {_DEPTH} folders deep")

    try:
        with os.scandir(folder / prefix) as entries:
            names = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as failure:
        raise OutputRefused(f"out/{_shown(prefix)} cannot be listed: {failure.strerror}") from None

    for entry in names:
        path = f"{prefix}/{entry.name}" if prefix else entry.name
        _check_name(path)
        if entry.is_dir(follow_symlinks=False):
            yield from _files(folder, path, depth + 1)
        else:
            yield path


def _check_name(path: str) -> None:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise OutputRefused(f"the name out/{_shown(path)} is not UTF-8") from None

    if not path.isprintable():
        raise OutputRefused(f"the name out/{_shown(path)} holds a control character")


def _shown(path: str) -> str:
    return ascii(path[:200])[1:-1]


def _hashed(folder: Path, path: str) -> dict[str, object]:
    place = folder / path
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        raise OutputRefused(f"out/{path} is a {_kind(place)}, not a regular file") from None

    try:
        facts = os.fstat(handle)
        _check_file(path, place, facts)
        _check_holes(path, handle, facts.st_size)
        digest = blake3()
        while block := os.read(handle, _CHUNK):
            digest.update(block)
    finally:
        os.close(handle)

    return {"path": path, "digest": digest.hexdigest(), "bytes": facts.st_size}


def _check_file(path: str, place: Path, facts: os.stat_result) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise OutputRefused(f"out/{path} is a {_kind(place)}, not a regular file")

    if facts.st_nlink > 1:
        raise OutputRefused(f"out/{path} is a hard link: {facts.st_nlink} names for one file")

    if facts.st_mode & (stat.S_ISUID | stat.S_ISGID):
        raise OutputRefused(f"out/{path} has its set-user-ID or set-group-ID bit set")


def _check_holes(path: str, handle: int, size: int) -> None:
    """Refuse a file that is mostly nothing: it would cost its whole length wherever it goes."""
    holes = at = 0
    while at < size:
        try:
            data = os.lseek(handle, at, os.SEEK_DATA)
        except OSError:  # none up to the end
            data = size

        holes += data - at
        at = os.lseek(handle, data, os.SEEK_HOLE) if data < size else size

    os.lseek(handle, 0, os.SEEK_SET)
    if holes > _HOLES and 2 * holes > size:
        raise OutputRefused(f"out/{path} is sparse: {holes >> 20} of {size >> 20} MiB are holes")


def _kind(place: Path) -> str:
    try:
        mode = place.lstat().st_mode
    except OSError:
        return "missing file"

    kinds = {
        stat.S_IFLNK: "symbolic link",
        stat.S_IFIFO: "pipe",
        stat.S_IFSOCK: "socket",
        stat.S_IFBLK: "device",
        stat.S_IFCHR: "device",
        stat.S_IFREG: "file that cannot be read",
    }
    return kinds.get(stat.S_IFMT(mode), "thing of an unknown kind")


__all__ = ["OutputRefused", "take"]
