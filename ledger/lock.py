"""The writer's lock: a file beside the ledger, held with flock by one process at a time."""

import contextlib
import fcntl
import json
import os
import socket
from pathlib import Path

from ledger.errors import WriterBusy
from ledger.sqlite import translated

NAME = "run.lock"


class WriterLock:
    """Held from construction to `release`. The kernel drops it when the process ends."""

    def __init__(self, folder: Path, since: str) -> None:
        self._path = folder / NAME

        with translated(self._path):
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            said = _read(handle)
            os.close(handle)
            raise WriterBusy(self._path, *said) from error

        self._handle: int | None = handle
        _write(handle, {"host": socket.gethostname(), "pid": os.getpid(), "since": since})

    def release(self) -> None:
        """Let another process write. Calling it again does nothing."""
        if self._handle is None:
            return

        handle, self._handle = self._handle, None
        with contextlib.suppress(OSError):
            os.ftruncate(handle, 0)

        os.close(handle)


def _write(handle: int, said: dict[str, str | int]) -> None:
    # For people only: that the lock is held is known to the kernel, not to these bytes.
    with contextlib.suppress(OSError):
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(said, sort_keys=True).encode(), 0)


def _read(handle: int) -> tuple[str, int, str]:
    try:
        said = json.loads(os.pread(handle, 4096, 0))
        return str(said["host"]), int(said["pid"]), str(said["since"])
    except (ValueError, KeyError, TypeError, OSError):
        return "an unknown host", 0, "an unknown time"


__all__ = ["NAME", "WriterLock"]
