"""Reads files that a person named, which may be anything: a pipe, a device, a folder."""

import errno
import os
import stat
from pathlib import Path


def read(path: Path) -> bytes:
    """Return the bytes of a regular file, links followed; never wait for anybody to write it.

    Raises:
        OSError: it is not there, not permitted, or not a regular file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", str(path))

        return file.read()


__all__ = ["read"]
