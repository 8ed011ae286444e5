"""What a job's folders take of the disk: bytes and files, named or not; and clears them.

A file takes its length or its blocks, whichever is more: a sparse file costs its length to hash, a
preallocated one has blocks beyond its end. Nothing may hide from the count: a folder that cannot be
listed, or lies deeper than any honest one, is told apart from an empty one.
"""

import os
import stat
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from runtime.adapters.sandbox.processes import Process

MOST_FILES: Final = {"out": 100_000, "tmp": 20_000}
"""Files and folders that a job may keep in each of its own folders."""
DEEPEST: Final = 64
_BLOCK: Final = 512


@dataclass(slots=True)
class Taken:
    """What was counted so far."""

    bytes: int = 0
    wrong: str = ""
    """Why what is there is too much, or cannot be counted; empty: neither."""
    _seen: set[tuple[int, int]] = field(default_factory=set)

    def add(self, facts: os.stat_result) -> None:
        """Count the bytes of one file or folder, by whatever number of names."""
        if (facts.st_dev, facts.st_ino) not in self._seen:
            self._seen.add((facts.st_dev, facts.st_ino))
            self.bytes += max(facts.st_size, facts.st_blocks * _BLOCK)

    def over(self, most_mib: int) -> str:
        """Say which limit is passed; empty: none."""
        if self.bytes > most_mib << 20:
            return f"output limit of {most_mib} MiB reached"

        return self.wrong


def taken(job: Path, processes: Iterable[Process] = ()) -> Taken:
    """Count all that lies in a job's own folders, and what its processes hold without a name.

    Stops where something is wrong: the rest then does not matter.
    """
    count = Taken()
    for name, most in MOST_FILES.items():
        files = _walk(job / name, most, count)
        if files > most:
            count.wrong = f"limit of {most} files in {name} reached"

    for facts in _unnamed(processes):
        count.add(facts)

    return count


def _walk(folder: Path, most: int, count: Taken) -> int:
    """Count the bytes below a folder; return the number of files, as far as it was counted."""
    files = 0
    pending = [(str(folder), 0)]
    while pending and files <= most and not count.wrong:
        place, depth = pending.pop()
        if depth > DEEPEST:
            count.wrong = f"folders in {folder.name} are nested more than {DEEPEST} deep"
            break

        try:
            inside = _inside(place)
        except (FileNotFoundError, NotADirectoryError):  # removed while we look
            continue
        except OSError as failure:
            count.wrong = f"a folder in {folder.name} cannot be listed: {failure.strerror}"
            break

        for path, facts in inside:
            count.add(facts)
            files += 1
            if stat.S_ISDIR(facts.st_mode):
                pending.append((path, depth + 1))

    return files


def _inside(folder: str) -> list[tuple[str, os.stat_result]]:
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                found.append((entry.path, entry.stat(follow_symlinks=False)))

    return found


def _unnamed(processes: Iterable[Process]) -> Iterator[os.stat_result]:
    """Yield the files that processes have open or mapped and that have no name."""
    for process in processes:
        for place in (f"/proc/{process.pid}/fd", *_mapped(process.pid)):
            with suppress(OSError):
                yield from _nameless(place)


def _mapped(pid: int) -> list[str]:
    """Return the folder of mapped files, if one of them was removed."""
    with suppress(OSError), open(f"/proc/{pid}/maps", "rb") as maps:  # noqa: PTH123
        if b" (deleted)\n" in maps.read():
            return [f"/proc/{pid}/map_files"]

    return []


def _nameless(place: str) -> Iterator[os.stat_result]:
    with os.scandir(place) as handles:
        for handle in handles:
            with suppress(OSError):
                facts = handle.stat()
                if facts.st_nlink == 0 and stat.S_ISREG(facts.st_mode):
                    yield facts


def clear(folder: Path) -> None:
    """Empty a folder of a job, however deep or closed to us what lies in it.

    Programs, not `shutil.rmtree`: that one goes down by recursion and ends at a thousand folders.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        inside = [entry.path for entry in entries]
        for start in range(0, len(inside), 500):
            some = inside[start : start + 500]
            for words in (["chmod", "-R", "u+rwX"], ["rm", "-rf", "--one-file-system"]):
                subprocess.run([*words, "--", *some], capture_output=True, check=False)


__all__ = ["DEEPEST", "MOST_FILES", "Taken", "clear", "taken"]
