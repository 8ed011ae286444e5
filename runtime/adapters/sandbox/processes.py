"""Finds the processes of a job, measures them, and ends every one of them."""

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from runtime.adapters.sandbox.namespaces import SHARED_MEMORY

_PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024
_TICK_MS = 1000 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    """One line of /proc/PID/stat, as far as it matters here."""

    pid: int
    state: str
    parent: int
    session: int
    start: int
    """Clock ticks after boot: with the pid and the boot id it names a process for ever."""
    cpu_ms: int
    """Of itself and of the children it has waited for."""
    rss_kib: int
    threads: int


def look(pid: int) -> Process | None:
    """Return what a process is now, or None when there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as source:  # noqa: PTH123 - twenty times a second
            text = source.read()
    except OSError:
        return None

    fields = text[text.rindex(b")") + 2 :].split()
    return Process(
        pid=pid,
        state=fields[0].decode(),
        parent=int(fields[1]),
        session=int(fields[3]),
        start=int(fields[19]),
        cpu_ms=sum(int(fields[i]) for i in (11, 12, 13, 14)) * _TICK_MS,
        rss_kib=int(fields[21]) * _PAGE_KIB,
        threads=int(fields[17]),
    )


def boot_id() -> str:
    """Return the kernel's name for this boot, empty where it gives none."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()

    return ""


def _everyone() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
    except OSError:
        return []


class Family:
    """The descendants of a process, which must be their subreaper."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._strangers: set[int] = set()

    def members(self, *, afresh: bool = False) -> list[Process]:
        """Return all living descendants, sorted by pid.

        A process that is no descendant never becomes one (orphans come to the subreaper), so its
        pid is not looked at again while it lives; `afresh` forgets that.
        """
        everyone = _everyone()
        self._strangers = set() if afresh else self._strangers.intersection(everyone)
        fresh = (look(pid) for pid in everyone if pid not in self._strangers)
        seen = {process.pid: process for process in fresh if process is not None}
        related = {self._root}
        strangers: set[int] = set()
        for pid in seen:
            _trace_back(pid, seen, related, strangers)

        self._strangers |= strangers
        related.discard(self._root)
        return [seen[pid] for pid in sorted(related) if seen[pid].state not in "ZX"]


def _trace_back(pid: int, seen: dict[int, Process], related: set[int], strangers: set[int]) -> None:
    """Follow the parents of one process until its kinship is known."""
    path: list[int] = []
    at = pid
    while at in seen and at not in related and at not in strangers and at not in path:
        path.append(at)
        at = seen[at].parent

    (related if at in related else strangers).update(path)


def descends(pid: int, root: int) -> bool:
    """Say whether a living process descends from another one."""
    at = look(pid)
    while at is not None and at.parent > 1:
        if at.parent == root:
            return True

        at = look(at.parent)

    return False


def of_session(session: int) -> list[Process]:
    """Return the living processes of a session, sorted by pid."""
    found = (look(pid) for pid in sorted(_everyone()))
    return [p for p in found if p is not None and p.session == session and p.state not in "ZX"]


def kill(processes: Iterable[Process]) -> None:
    """Send SIGKILL to each, passing over those that are gone."""
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, signal.SIGKILL)


def memory_kib(processes: Iterable[Process], *, beside: int = 0) -> int:
    """Return what the processes hold together: pages shared count once.

    `beside`: KiB in their `/dev/shm`; what of it is mapped is in the processes already.
    """
    total = mapped = 0
    for process in processes:
        try:
            with open(f"/proc/{process.pid}/smaps_rollup", encoding="ascii") as source:  # noqa: PTH123
                sizes = {line.split(":")[0]: line.split()[1] for line in source if "Pss" in line}
        except (FileNotFoundError, ProcessLookupError):  # it ended
            continue
        except OSError:
            total += process.rss_kib
            continue

        total += int(sizes.get("Pss", 0))
        mapped += int(sizes.get("Pss_Shmem", 0))

    return total + max(0, beside - mapped)


def private_kib(pid: int) -> int:
    """Return what lies in the `/dev/shm` that a process has of its own."""
    try:
        told = os.statvfs(f"/proc/{pid}/root{SHARED_MEMORY}")
    except OSError:
        return 0

    return (told.f_blocks - told.f_bfree) * told.f_frsize // 1024


def end_session(session: int, start: int, *, patience_s: float = 2.0) -> bool:
    """End every process of a session whose leader started at `start`; say whether all are gone.

    A leader with another start time is a stranger who got the same number, and is left alone.
    """
    leader = look(session)
    if leader is not None and leader.start != start:
        return True

    deadline = time.monotonic() + patience_s
    while left := of_session(session):
        kill(left)
        if time.monotonic() > deadline:
            return False

        time.sleep(0.005)

    return True


__all__ = [
    "Family",
    "Process",
    "boot_id",
    "descends",
    "end_session",
    "kill",
    "look",
    "memory_kib",
    "of_session",
    "private_kib",
]
