"""Holds the recorder's log while a job runs: a pipe with a name, read as it is written.

The recorder waits where the reader is behind, and the job waits for the recorder: so the record is
never further behind than the pipe is long, and its cost is the job's own time.
"""

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from runtime.adapters.sandbox import landlock, record
from runtime.adapters.sandbox.reading import Access, Reading
from runtime.adapters.sandbox.walk import Walker

_SET_PIPE_SIZE: Final = 1031  # F_SETPIPE_SZ
_PIPE_BYTES: Final = 1 << 20
_RECORD: Final = "log/access.jsonl"
_BLOCK: Final = 64 << 10
NOTHING: Final[dict[str, object]] = {
    "record": None,
    "opened": 0,
    "denied": [],
    "denied_total": 0,
    "recorder": "none",
    "complete": False,
}
"""What the result says of the record of a job that nothing recorded."""


class Recorder:
    """The record of one job, from before its start to after its end."""

    def __init__(self, folder: Path, launch: dict[str, Any]) -> None:
        """Make the pipe that the recorder is to write into."""
        self.pipe = folder / "log" / "strace.out"
        os.mkfifo(self.pipe, 0o600)
        self.end = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with suppress(OSError):
            fcntl.fcntl(self.end, _SET_PIPE_SIZE, _PIPE_BYTES)

        self.defect = ""
        """What went wrong in here; the record stops where it was."""
        own = {name: str(folder / name) for name in ("in", "out", "tmp")}
        roots = {"job": str(folder), **own, **launch["roots"]}
        given = (str(folder), *launch["reads"])
        places = landlock.interpreter(), landlock.search_folders()
        namer = record.Namer(roots, *places, given)
        linkless = [os.path.realpath(place) for place in own.values()]
        self._where = folder / "log" / "access.jsonl"
        self._book = record.Book(self._where, namer)
        walker = Walker(tuple(linkless) if launch["sandbox"] in ("landlock", "bubblewrap") else ())
        wrapped = launch["sandbox"] == "bubblewrap"
        self._reading = Reading(str(folder), walker, self._take, wrapped=wrapped)

    @property
    def full(self) -> str:
        """Why no more is recorded; empty while there is room."""
        return self._book.full

    def _take(self, access: Access) -> None:
        kin = self._reading.kin
        pid, ppid = kin.number(access.process), kin.number(access.process.parent)
        path = access.path
        own = f"/proc/{access.process.leader}"
        if path == own or path.startswith(f"{own}/"):
            path = "/proc/self" + path[len(own) :]

        self._book.take(pid, ppid, access.op, path, access.result)

    def read(self) -> bool:
        """Read one block of what was written; False where there is nothing more now."""
        try:
            block = os.read(self.end, _BLOCK)
        except BlockingIOError:
            block = b""

        if not block:
            self._book.flush()
            return False

        if not self.defect:
            try:
                self._reading.feed(block)
            except Exception as defect:
                self.defect = f"{type(defect).__name__}: {defect}"

        return True

    def so_far(self) -> str | None:
        """Return what was written before something broke, up to its last whole line."""
        with suppress(OSError, ValueError):
            self._book.flush()

        with suppress(OSError), self._where.open("rb+") as written:
            written.truncate(written.read().rfind(b"\n") + 1)
            return _RECORD

        return None

    def close(self, refused: Iterable[Any]) -> tuple[dict[str, object], str]:
        """End the record; return its summary, and why it is not whole (empty: it is)."""
        while self.read():
            pass

        os.close(self.end)
        self.pipe.unlink()
        for one in refused:
            process = self._reading.kin.process_of(one.thread)
            self._take(Access(process, one.op, one.path, one.result))

        whole = self._reading.complete and not self.defect and not self.full
        broken = f"its record broke: {self.defect}" if self.defect else self.full
        if not whole and not broken:
            broken = "the recorder ended before the job: what it did is not known"

        summary = self._book.close(broken)
        return {
            "record": _RECORD,
            "opened": summary.opened,
            "denied": [{"op": op, "path": path, "result": r} for op, path, r in summary.denied],
            "denied_total": summary.denied_total,
            "recorder": "strace",
            "complete": whole,
        }, broken


__all__ = ["NOTHING", "Recorder"]
