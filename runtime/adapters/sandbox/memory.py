"""Reads what a job's call is about: from its memory, its folders and its threads in /proc."""

import errno
import os
import socket
import struct
from typing import Final

AT_FDCWD: Final = -100
_TYPES = {1: "SOCK_STREAM", 2: "SOCK_DGRAM", 3: "SOCK_RAW", 4: "SOCK_RDM", 5: "SOCK_SEQPACKET"}
_BY_DESCRIPTOR = frozenset(("fchmod", "fchown", "fsetxattr", "fremovexattr"))
_BY_FOLDER = frozenset(("fchmodat", "fchmodat2", "fchownat", "futimesat", "utimensat"))
_BY_FOLDER |= {"setxattrat", "removexattrat"}
_LAST_ADDRESS: Final = 2**63 - 1


def family(number: int, kind: int) -> str:
    """Name the family and type of a socket."""
    try:
        name = socket.AddressFamily(number & 0xFFFFFFFF).name
    except ValueError:
        name = f"AF_{number & 0xFFFFFFFF}"

    sort = kind & 0xF
    return f"{name}/{_TYPES.get(sort, sort)}" if sort else name


def named_path(thread: int, op: str, arguments: list[int]) -> str | None:
    """Return the absolute path a call names, None where it cannot be read."""
    try:
        if op in _BY_DESCRIPTOR:
            return absolute(thread, arguments[0], "")

        if op in _BY_FOLDER:
            text = _text(thread, arguments[1]) if arguments[1] else ""
            return absolute(thread, _signed(arguments[0]), text)

        return absolute(thread, AT_FDCWD, _text(thread, arguments[0]))
    except OSError:
        return None


def _signed(word: int) -> int:
    return int(struct.unpack("=i", struct.pack("=I", word & 0xFFFFFFFF))[0])


def absolute(thread: int, folder: int, text: str) -> str:
    """Return a path that a thread names, joined to its folder or to the one of a descriptor."""
    if text.startswith("/"):
        return os.path.normpath(text)

    link = "cwd" if folder == AT_FDCWD else f"fd/{folder}"
    base = os.readlink(f"/proc/{thread}/{link}")  # noqa: PTH115
    return os.path.normpath(os.path.join(base, text)) if text else base  # noqa: PTH118


def _text(thread: int, address: int) -> str:
    """Read a C string of at most PATH_MAX bytes."""
    return os.fsdecode(read(thread, address, 4096).split(b"\0")[0])


def read(thread: int, address: int, length: int) -> bytes:
    """Read another process's memory as far as it is mapped; for naming, never for trusting."""
    if address > _LAST_ADDRESS:
        raise OSError(errno.EFAULT, os.strerror(errno.EFAULT))

    place = os.open(f"/proc/{thread}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            return os.pread(place, length, address)
        except OSError:  # the string may end just before an unmapped page
            return os.pread(place, min(length, 4096 - address % 4096), address)
    finally:
        os.close(place)


def write(thread: int, address: int, content: bytes) -> None:
    """Write an answer where the job asked for it."""
    place = os.open(f"/proc/{thread}/mem", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.pwrite(place, content, address)
    finally:
        os.close(place)


def process_of(thread: int) -> int:
    """Return the process that a thread belongs to; itself where it is gone."""
    with open(f"/proc/{thread}/status", encoding="utf-8", errors="replace") as status:  # noqa: PTH123
        for line in status:
            if line.startswith("Tgid:"):
                return int(line.split()[1])

    return thread


__all__ = ["AT_FDCWD", "absolute", "family", "named_path", "process_of", "read", "write"]
