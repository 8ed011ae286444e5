"""Does for a job what the kernel cannot be told to allow in the job's own folders only.

Each call is done here on a copy of the job's descriptor, after a look at what it is: names of
sockets, and locks. Nothing a job could change between look and act is trusted.
"""

import fcntl
import os
import socket
import stat
import struct
from typing import Final

from runtime.adapters.sandbox import kernel, landlock, memory

_CLONE_FS: Final = 0x200
_FLOCK: Final = struct.Struct("=hhxxxxqqixxxx")  # struct flock
_GET, _SET, _SET_WAIT = 36, 37, 38  # F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW
_OF_FILE: Final = {5: _GET, 6: _SET, 7: _SET_WAIT, 36: _GET, 37: _SET, 38: _SET_WAIT}
"""Locks of a process become locks of its open file: what the copy locks, the job holds."""

PRIVATE: Final = "/dev/shm"  # noqa: S108 - the job's own, or out of its reach
"""A file that a job has open there is its own: without a private one it can open none."""


class Foreign(Exception):
    """The call is about something that is not the job's own; says what."""


def is_own(path: str, own: tuple[str, ...]) -> bool:
    """Say whether a path is one of the job's own folders or in one."""
    try:
        real = os.path.realpath(path)
    except OSError:  # through another process's root or folder, which we may not follow
        return False

    return any(real == home or real.startswith(home + "/") for home in own)


def local_name(thread: int, words: list[int]) -> bytes:
    """Return the path in the address of a UNIX socket.

    Raises:
        Foreign: another family, or a name in the abstract space, which a machine shares.
    """
    address = memory.read(thread, words[1], min(words[2] & 0xFFFFFFFF, 110))
    family = struct.unpack("=H", address[:2])[0] if len(address) > 1 else 0
    name = address[2:].split(b"\0")[0]
    if family != socket.AF_UNIX:
        raise Foreign(memory.family(family, 0))

    if not name:
        raise Foreign("AF_UNIX/abstract")

    return name


def connect(thread: int, words: list[int], own: tuple[str, ...]) -> int:
    """Connect a job's socket to one in its own folders."""
    path = memory.absolute(thread, memory.AT_FDCWD, os.fsdecode(local_name(thread, words)))
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        real = os.readlink(f"/proc/self/fd/{place}")  # noqa: PTH115
        if not is_own(real, own) or not stat.S_ISSOCK(os.fstat(place).st_mode):
            raise Foreign(real)

        with _copy_of_socket(thread, words[0]) as end:
            end.connect(f"/proc/self/fd/{place}")
    finally:
        os.close(place)

    return 0


def bind(thread: int, words: list[int], own: tuple[str, ...]) -> int:
    """Give a job's socket a name in the job's own folders; call it in a thread that then ends.

    The name must stay as the job wrote it (`getsockname` tells it), so it is resolved by the
    kernel, in a thread that stands in the job's folder and may make sockets in `own` only.
    """
    name = local_name(thread, words)
    with _copy_of_socket(thread, words[0]) as end:
        kernel.unshare(_CLONE_FS)
        os.chdir(f"/proc/{thread}/cwd")
        kernel.forbid_new_privileges()
        landlock.only_sockets_in(own)
        try:
            end.bind(name)
        except PermissionError:
            raise Foreign(memory.absolute(thread, memory.AT_FDCWD, os.fsdecode(name))) from None

    return 0


def _copy_of_socket(thread: int, descriptor: int) -> socket.socket:
    end = socket.socket(fileno=_copy(thread, descriptor))
    if end.family != socket.AF_UNIX:
        end.close()
        raise Foreign("socket")

    return end


def lock(thread: int, op: str, words: list[int], own: tuple[str, ...]) -> int:
    """Lock or unlock a file of the job's own; a shared lock on what it only reads is a no-op."""
    handle = _copy(thread, words[0])
    try:
        path = os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115
        is_mine = is_own(path, (*own, PRIVATE)) and stat.S_ISREG(os.fstat(handle).st_mode)
        if op == "flock":
            return _flock(handle, words[1] & 0xFF, "" if is_mine else path)

        return _fcntl(thread, handle, words, "" if is_mine else path)
    finally:
        os.close(handle)


def _flock(handle: int, how: int, foreign: str) -> int:
    if not foreign:
        fcntl.flock(handle, how)
    elif how & ~fcntl.LOCK_NB not in (fcntl.LOCK_SH, fcntl.LOCK_UN):
        raise Foreign(foreign)

    return 0


def _fcntl(thread: int, handle: int, words: list[int], foreign: str) -> int:
    command = _OF_FILE[words[1] & 0xFFFFFFFF]
    kind, whence, start, length, _ = _FLOCK.unpack(memory.read(thread, words[2], _FLOCK.size))
    if foreign and (command == _GET or kind == fcntl.F_WRLCK):
        raise Foreign(foreign)

    if not foreign:
        wanted = _FLOCK.pack(kind, whence, start, length, 0)
        held = fcntl.fcntl(handle, command, wanted)
        if command == _GET:
            memory.write(thread, words[2], held)

    return 0


def _copy(thread: int, descriptor: int) -> int:
    return kernel.take_descriptor(memory.process_of(thread), descriptor & 0xFFFFFFFF)


__all__ = ["Foreign", "bind", "connect", "is_own", "lock"]
