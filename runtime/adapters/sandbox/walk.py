"""Where a path leads: followed part by part, links before `..`, as the kernel does.

A link outside the job's own folders is as it is all the while, for the job can make none there;
inside them it can make none either, so what is beneath them needs no look at the disk at all. What
hangs on a process (`/proc/self/cwd`) is taken from what the record knows of that process; a path
that goes on through a descriptor (`/proc/self/fd/3/..`) is one that nobody can tell.
"""

import os
import re
from collections.abc import Callable
from typing import Final

UNKNOWN: Final = "unknown:"
"""What a path begins with that cannot be told; why it cannot follows."""
LONGEST: Final = 64 << 10
"""Characters of a path that are followed; the kernel takes 4096 in one call."""
_LINKS: Final = 40
_REMEMBERED: Final = 100_000
_OF_A_PROCESS = re.compile(r"/proc/(?:self|thread-self|\d+)(?:/task/\d+)?")
_FOLDERS: Final = ("cwd", "root")

Cwd = Callable[[str], str | None]
"""The working folder behind `self`, `thread-self` or a process number; None: not of this job."""


class Walker:
    """Follows paths, remembering the links it has met."""

    def __init__(self, linkless: tuple[str, ...]) -> None:
        """Know the folders, real paths, in which there are no links."""
        self._linkless = tuple(f"{home}/" for home in linkless)
        self._links: dict[str, str | None] = {}

    def follow(self, base: str, text: str, cwd: Cwd) -> str:
        """Return the absolute path that `text` leads to from the real folder `base`.

        What cannot be told, or is too long to be followed, begins with `unknown:`.
        """
        if not text.startswith("/") and base.startswith(UNKNOWN):
            return base

        at = "" if text.startswith("/") or base == "/" else base
        parts = text.split("/")[::-1]
        links = 0
        while parts:
            part = parts.pop()
            if part in ("", "."):
                continue

            if part == "..":
                at = at.rpartition("/")[0]
                continue

            step = self._step(f"{at}/{part}", cwd, last=not any(parts))
            if step is None:
                return f"{UNKNOWN}through /proc"

            at, more = step
            if len(at) > LONGEST:
                return f"{UNKNOWN}too long"

            links += bool(more)
            parts += more[::-1]
            if links > _LINKS:
                return at or "/"

        return at or "/"

    def _step(self, path: str, cwd: Cwd, *, last: bool) -> tuple[str, list[str]] | None:
        """Return where one more part leads and what is to be followed from there."""
        if path.startswith("/proc/"):
            return self._of_process(path, cwd, last=last)

        if path.startswith(self._linkless):
            return path, []

        target = self._link(path)
        if target is None:
            return path, []

        base = "" if target.startswith("/") else path.rpartition("/")[0]
        return base, target.split("/")

    def _of_process(self, path: str, cwd: Cwd, *, last: bool) -> tuple[str, list[str]] | None:
        folder, _, name = path.rpartition("/")
        if not _OF_A_PROCESS.fullmatch(folder):
            beyond = re.match(r"(.*)/(?:fd|map_files)/[^/]+$", path)
            through = beyond is not None and _OF_A_PROCESS.fullmatch(beyond[1]) is not None
            return None if through and not last else (path, [])

        if name == "root":
            return "", []

        if name == "cwd":
            where = cwd(folder.split("/")[2])
            if where is not None:
                return where.removesuffix("/"), []

            return (path, []) if last else None

        return None if name == "exe" and not last else (path, [])

    def _link(self, path: str) -> str | None:
        """Return what a link outside the job's folders points at; None: it is none."""
        if path not in self._links:
            if len(self._links) >= _REMEMBERED:
                self._links.clear()

            try:
                self._links[path] = os.readlink(path)  # noqa: PTH115
            except (OSError, ValueError):
                self._links[path] = None

        return self._links[path]


__all__ = ["LONGEST", "UNKNOWN", "Cwd", "Walker"]
