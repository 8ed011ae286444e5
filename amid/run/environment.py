"""Where the program runs, without naming the machine: for `environment.captured`."""

import os
import platform
import sys
from pathlib import Path

from amid.run.program import listing, packages
from ledger.events.run import EnvironmentCaptured, WriterAcquired
from runtime.adapters.sandbox import processes
from runtime.ports import PutBlob


def capture(put: PutBlob, *, cores: int, sandboxes: tuple[str, ...]) -> EnvironmentCaptured:
    """Describe the machine without naming it."""
    return EnvironmentCaptured(
        python=platform.python_version(),
        packages=put(listing(packages())),
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
