"""Start the program as a user would, in its own process tree, and look at what it left."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from amid.run.compose import events
from ledger.events.base import Fact
from ledger.events.union import dump
from replay.redecide import DECISIONS

ROOT = Path(__file__).resolve().parent.parent.parent


def command(*words: str | Path) -> list[str]:
    """Return the argv of `amid` under the interpreter of the tests."""
    return [sys.executable, "-m", "amid", *map(str, words)]


def amid(*words: str | Path, ok: Sequence[int] = (0,)) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; fail with what it said unless its exit code is expected."""
    done = subprocess.run(
        command(*words), capture_output=True, text=True, cwd=ROOT, check=False, timeout=600
    )
    assert done.returncode in ok, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def answer(*words: str | Path, ok: Sequence[int] = (0,)) -> dict[str, object]:
    """Run a command with `--json` and return its one object."""
    told: dict[str, object] = orjson.loads(amid(*words, "--json", ok=ok).stdout)
    return told


def decisions(run: Path) -> list[tuple[str, str]]:
    """Return (type, body without epoch) of every decision of a run, once each, sorted."""
    told = set()

    for event in events(run):
        if event.type in DECISIONS:
            body = dump(event)
            body.pop("epoch", None)
            told.add((event.type, orjson.dumps(body, option=orjson.OPT_SORT_KEYS).decode()))

    return sorted(told)


def outcomes(run: Path, kind: str) -> list[Fact]:
    """Return the events of one type."""
    return [event for event in events(run) if event.type == kind]


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return mode, modification time and content of every file below a folder."""
    found = {}

    for path in sorted(folder.rglob("*")):
        seen = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path.relative_to(folder))] = (seen.st_mode, seen.st_mtime_ns, content)

    return found


def content_of(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@dataclass
class Tree:
    """A running command with all its descendants."""

    process: "subprocess.Popen[bytes]"

    @classmethod
    def start(cls, *words: str | Path, **environment: str) -> "Tree":
        """Start a command in the background."""
        return cls(
            subprocess.Popen(
                command(*words),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=ROOT,
                env=os.environ | environment,
            )
        )

    def kill(self) -> int:
        """Send SIGKILL to every process of the tree at once; return how many there were."""
        victims = [self.process.pid, *descendants(self.process.pid)]

        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

        self.process.wait()
        gone(victims)
        return len(victims)


def gone(pids: Sequence[int], seconds: float = 5.0) -> None:
    """Wait until no process of these is left running."""
    until = time.monotonic() + seconds

    while time.monotonic() < until:
        if not any(alive(pid) for pid in pids):
            return

        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Say whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False

    return state != "Z"


def descendants(pid: int) -> Iterator[int]:
    """Yield every process below one, nearest first."""
    below: dict[int, list[int]] = {}

    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue

        below.setdefault(parent, []).append(int(stat.parent.name))

    waiting = list(below.get(pid, ()))

    while waiting:
        child = waiting.pop(0)
        yield child
        waiting += below.get(child, ())
