"""Turns what strace and the filter saw into the access record of a job.

Paths are relative to named roots; processes are numbered in order of appearance, the job itself
is 1. What the interpreter loads of itself and its libraries is counted, not listed.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runtime.adapters.sandbox import landlock
from runtime.adapters.sandbox.notify import Refused
from runtime.adapters.sandbox.strace import Call, Reading

DENIED: Final = frozenset(("EACCES", "EPERM", "EROFS"))
SHOWN: Final = 50
"""Refusals that stand in the event; all of them stand in the record."""

_EVERYWHERE: Final = ("/etc", "/proc", "/sys", "/dev", *landlock.SYSTEM)
"""Places that every machine has, so that their paths tell nothing of this one."""
_QUIET: Final = frozenset(("ENOENT", "ENOTDIR", "ENXIO", "ELOOP", "?"))


@dataclass(frozen=True, slots=True)
class Summary:
    """What the result says about the record."""

    opened: int
    denied: tuple[tuple[str, str, str], ...]
    denied_total: int


class Namer:
    """Names absolute paths by the roots they lie in; the longest root wins."""

    def __init__(
        self, roots: Mapping[str, str], environment: Iterable[str], listable: Iterable[str]
    ) -> None:
        named = [(os.path.realpath(path), name) for name, path in roots.items()]
        named += [(path, "env") for path in environment]
        self._roots = sorted(set(named), key=lambda pair: (-len(pair[0]), pair))
        self._listable = frozenset(listable)

    def name(self, path: str) -> str:
        """Return `root:rest`, or `other:` and where the place is.

        Of a place that is no root's and not the system's, only the top folder: the rest may name
        users and patients. Device and inode stand beside it in the record.
        """
        if not path.startswith("/"):
            return path

        for home, name in self._roots:
            if path == home:
                return f"{name}:"

            if path.startswith(home.rstrip("/") + "/"):
                return f"{name}:{path[len(home.rstrip('/')) + 1 :]}"

        if landlock.is_beneath(path, _EVERYWHERE):
            return f"other:{path}"

        return f"other:/{path.split('/', 2)[1]}/…" if path.count("/") > 1 else f"other:{path}"

    def is_machinery(self, call: Call, named: str, path: str) -> bool:
        """Say whether an access is the interpreter's own: counted in the record, not listed.

        A refusal never is, but for a look at a folder of the module search path.
        """
        if call.op != "open":
            return path == "/dev/null"

        if path in self._listable:
            return True

        if call.result in DENIED:
            return False

        return named.startswith("env:") or (
            named.startswith("other:") and landlock.is_beneath(path, landlock.SYSTEM)
        )


class _Numbers:
    """Numbers processes 1, 2, ... in order of appearance; threads count as their process."""

    def __init__(self, parents: Mapping[int, tuple[int, bool]]) -> None:
        self._parents = parents
        self._given: dict[int, int] = {}

    def of(self, thread: int) -> int:
        """Return the number of a thread's process."""
        process = self.process(thread)
        return self._given.setdefault(process, len(self._given) + 1)

    def parent(self, thread: int) -> int:
        """Return the number of the process that made it, 0 for the job itself."""
        process = self.process(thread)
        return self.of(self._parents[process][0]) if process in self._parents else 0

    def process(self, thread: int) -> int:
        """Return the process of a thread."""
        at = thread
        for _ in range(10_000):
            maker, same_process = self._parents.get(at, (0, False))
            if not same_process:
                break

            at = maker

        return at


def write(
    into: Path, reading: Reading, first: int, refused: Iterable[Refused], namer: Namer
) -> Summary:
    """Write the record as JSON lines and return its summary.

    Args:
        into: the file to write.
        reading: the log of strace.
        first: process id of the job, which becomes number 1.
        refused: what the filter refused; it never reaches strace.
        namer: the roots.
    """
    numbers = _Numbers(reading.parents)
    numbers.of(first)
    calls = [*reading.calls, *(Call(r.thread, r.op, r.path, r.result) for r in refused)]
    lines: dict[str, None] = {}
    denied: dict[tuple[str, str, str], None] = {}
    files: set[str] = set()
    machinery: dict[str, set[str]] = {}
    for call in dict.fromkeys(calls):
        path = _real(call, numbers.process(call.thread))
        named = namer.name(path)
        if namer.is_machinery(call, named, path):
            machinery.setdefault(named.partition(":")[0], set()).add(path)
            continue

        if call.result in _QUIET and named.startswith("other:"):
            continue

        if call.result in DENIED:
            denied[(call.op, _clean(named), call.result)] = None
        elif call.result == "ok" and call.op in ("open", "write"):
            files.add(path)

        lines[_line(numbers.of(call.thread), numbers.parent(call.thread), call, named, path)] = None

    for place, seen in sorted(machinery.items()):
        lines[_count(place, len(seen))] = None

    text = "".join(f"{line}\n" for line in lines)
    into.write_text(text, encoding="utf-8")
    return Summary(len(files), tuple(denied)[:SHOWN], len(denied))


def _real(call: Call, process: int) -> str:
    """Follow links: what matters is where they lead. `/proc/self` keeps its name."""
    if not call.path.startswith("/"):
        return call.path

    for own in (f"/proc/{process}", "/proc/self", "/proc/thread-self"):
        if landlock.is_beneath(call.path, (own,)):
            return "/proc/self" + call.path[len(own) :]

    try:
        return os.path.realpath(call.path)
    except OSError:  # through another process's root or folder, which we may not follow
        return call.path


def _line(pid: int, ppid: int, call: Call, named: str, path: str) -> str:
    device, inode = _identity(path)
    return _json(
        {
            "pid": pid,
            "ppid": ppid,
            "op": call.op,
            "path": _clean(named),
            "dev": device,
            "ino": inode,
            "result": call.result,
        }
    )


def _count(place: str, files: int) -> str:
    """Return the one line that stands for all the interpreter's own files in a place."""
    line = {"pid": 1, "ppid": 0, "op": "open", "path": f"{place}:", "dev": None, "ino": None}
    return _json({**line, "result": "ok", "count": files})


def _identity(path: str) -> tuple[int | None, int | None]:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None, None

    return found.st_dev, found.st_ino


def _clean(text: str) -> str:
    """Make undecodable bytes visible, so that the line is valid UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _json(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


__all__ = ["DENIED", "SHOWN", "Namer", "Summary", "write"]
