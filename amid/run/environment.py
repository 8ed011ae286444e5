"""Where and with what the program runs: for `environment.captured` and `code` of `run.started`."""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

import orjson

from ledger.events.run import Code, EnvironmentCaptured, WriterAcquired
from runtime.adapters.sandbox import processes
from runtime.ports import PutBlob

DISTRIBUTION = "amid-runtime"


@cache
def packages() -> Mapping[str, str]:
    """Return every installed distribution by its normalised name, sorted."""
    found = {
        (d.metadata["Name"] or "").lower().replace("_", "-"): d.version
        for d in metadata.distributions()
    }
    return dict(sorted((name, version) for name, version in found.items() if name))


def code(put: PutBlob) -> Code:
    """Say which program this is: version, commit of its checkout, and the packages beside it."""
    root = Path(__file__).resolve().parents[2]
    commit, dirty = _checkout(root)
    return Code(
        version=metadata.version(DISTRIBUTION),
        commit=commit,
        dirty=dirty,
        lock=put(_listing()),
    )


def capture(put: PutBlob, *, cores: int, sandboxes: tuple[str, ...]) -> EnvironmentCaptured:
    """Describe the machine without naming it."""
    return EnvironmentCaptured(
        python=platform.python_version(),
        packages=put(_listing()),
        cpu=_cpu(),
        cores=cores,
        gpu=None,
        os=f"{platform.system()} {platform.release()} {platform.machine()}",
        sandboxes=sandboxes,
    )


def acquired(term: int) -> WriterAcquired:
    """Say which process holds the writer's lease under a term."""
    pid = os.getpid()
    own = processes.look(pid)
    started = "" if own is None else str(own.start)
    return WriterAcquired(term=term, pid=pid, started=started, boot=processes.boot_id())


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _listing() -> bytes:
    return orjson.dumps(packages(), option=orjson.OPT_SORT_KEYS)


def _cpu() -> str:
    """Return the CPU's model and the features that decide its arithmetic."""
    path = Path("/proc/cpuinfo")

    if not path.exists():
        return platform.processor() or "unknown"

    lines = (line.partition(":") for line in path.read_text().splitlines())
    values = {key.strip(): value.strip() for key, _, value in lines}
    wanted = ("avx2", "avx512f", "fma", "sse4_2")
    features = [f for f in wanted if f in values.get("flags", "").split()]
    return " ".join([values.get("model name", platform.machine()), *features])


def _checkout(root: Path) -> tuple[str | None, bool]:
    """Return the commit of the program's own checkout and whether it has changes."""
    if not (root / ".git").exists():
        return None, False

    def git(*words: str) -> str:
        command = ["git", "-C", os.fspath(root), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    commit = git("rev-parse", "HEAD") or None
    return commit, bool(git("status", "--porcelain", "--untracked-files=no"))
