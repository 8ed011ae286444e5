"""The access record of a job: one line per distinct access, written while the job runs.

Paths are relative to named roots; processes are numbered in order of appearance, the job itself
is 1. What the interpreter loads of itself and its libraries is counted, not listed; so is a mere
look at what the job was given, and at the folders on the way there.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runtime.adapters.sandbox import landlock
from runtime.adapters.sandbox.strace import LOOKS

DENIED: Final = frozenset(("EACCES", "EPERM", "EROFS"))
HIDDEN: Final = frozenset(("vault", "data", "blobs", "jobs", "run"))
"""Roots that a job with mounts of its own does not even find: to look there is refused too."""
SHOWN: Final = 50
"""Refusals that stand in the event; all of them stand in the record."""
MOST_LINES: Final = 200_000
MOST_BYTES: Final = 64 << 20
LONGEST_PATH: Final = 1024
"""Characters of a path that are written; of a longer one its beginning, which names the root."""

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
        self,
        roots: Mapping[str, str],
        environment: Iterable[str],
        listable: Iterable[str],
        given: Iterable[str] = (),
    ) -> None:
        """Know the roots.

        Args:
            roots: name to folder.
            environment: where the interpreter and its libraries are.
            listable: folders of the module search path.
            given: folders that the job was given; each lies in a root.
        """
        homes = [os.path.realpath(path) for path in given]
        self._given = tuple(homes)
        self._way = frozenset(w for home in (*homes, *environment) for w in _ancestors(home))
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

    def counted(self, op: str, path: str, named: str, result: str) -> str:
        """Return the word under which an access is counted instead of listed; empty: list it.

        A refusal is always listed, but for a look at a folder of the module search path.
        """
        if path == "/dev/null":
            return "other"

        place = named.partition(":")[0]
        if op == "open" and path in self._listable:
            return place

        if op not in ("open", *LOOKS) or result in DENIED:
            return ""

        if named.startswith("env:") or landlock.is_beneath(path, landlock.SYSTEM):
            return place

        if op in LOOKS and (path in self._way or landlock.is_beneath(path, self._given)):
            return "look"

        return ""


def _ancestors(path: str) -> list[str]:
    """Return the folders on the way to a path, with the path itself."""
    parts = path.split("/")
    return ["/", *("/".join(parts[:end]) for end in range(2, len(parts) + 1))]


class Book:
    """Takes accesses in and writes the record as JSON lines."""

    def __init__(self, into: Path, namer: Namer) -> None:
        """Begin an empty record."""
        self.full = ""
        """Why no more is written; empty while there is room."""
        self._namer = namer
        self._sink = into.open("w", encoding="utf-8")
        self._left_out = 0
        self._bytes = 0
        self._lines: set[str] = set()
        self._files: set[str] = set()
        self._denied: dict[tuple[str, str, str], None] = {}
        self._counted: dict[str, set[str]] = {}

    def take(self, pid: int, ppid: int, op: str, path: str, result: str) -> None:
        """Write one access down, once."""
        named = self._namer.name(path)
        counted = self._namer.counted(op, path, named, result)
        if counted:
            self._count(counted, path)
        elif not (result in _QUIET and named.startswith("other:")):
            self._list(pid, ppid, op, path, named, result)

    def _count(self, place: str, path: str) -> None:
        seen = self._counted.setdefault(place, set())
        if len(seen) < MOST_LINES:
            seen.add(path)

    def _list(self, pid: int, ppid: int, op: str, path: str, named: str, result: str) -> None:
        shown = _clean(named[:LONGEST_PATH])
        key = f"{pid} {op} {result} {shown}"
        if key in self._lines:
            return

        if self.full:
            self._left_out += 1
            return

        self._lines.add(key)
        if result in DENIED or (result == "ENOENT" and shown.partition(":")[0] in HIDDEN):
            self._denied[op, shown, result] = None
        elif result == "ok" and op in ("open", "write"):
            self._files.add(shown)

        device, inode = _identity(path)
        line = {"pid": pid, "ppid": ppid, "op": op, "path": shown, "dev": device, "ino": inode}
        self._write({**line, "result": result})
        if len(self._lines) >= MOST_LINES or self._bytes >= MOST_BYTES:
            self.full = f"access record limit of {len(self._lines)} lines reached"

    def flush(self) -> None:
        """Let what was written so far be read."""
        self._sink.flush()

    def close(self, broken: str = "") -> Summary:
        """Write what was counted, and where the record stops if it does; return the summary."""
        for place, seen in sorted(self._counted.items()):
            op = "stat" if place == "look" else "open"
            self._write({**_NOBODY, "op": op, "path": f"{place}:", "count": len(seen)})

        stopped = broken or self.full
        if stopped:
            says = f"{stopped}; {self._left_out} more left out"
            self._write({**_NOBODY, "op": "stopped", "path": "", "result": says})

        self._sink.close()
        return Summary(len(self._files), tuple(self._denied)[:SHOWN], len(self._denied))

    def _write(self, line: dict[str, object]) -> None:
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
        self._bytes += len(text)
        self._sink.write(text)


_NOBODY: Final = {
    "pid": 1,
    "ppid": 0,
    "op": "open",
    "path": "",
    "dev": None,
    "ino": None,
    "result": "ok",
}


def _identity(path: str) -> tuple[int | None, int | None]:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None, None

    return found.st_dev, found.st_ino


def _clean(text: str) -> str:
    """Make undecodable bytes visible, so that the line is valid UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


__all__ = ["DENIED", "SHOWN", "Book", "Namer", "Summary"]
