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
        gpu=accelerators(),
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


def accelerators(root: Path = Path("/")) -> str | None:
    """Return the accelerators whose drivers are loaded, with their number; None: there is none."""
    told = sorted(root.glob("proc/driver/nvidia/gpus/*/information"))
    models = [_model(path) for path in told]
    models += ["AMD"] * len(list(root.glob("sys/class/kfd/kfd/topology/nodes/*/mem_banks/0")))
    counted = [f"{models.count(name)} × {name}" for name in sorted(set(models))]
    return ", ".join(counted) or None


def _model(information: Path) -> str:
    rows = (line.partition(":") for line in information.read_text().splitlines())
    return next((value.strip() for name, _, value in rows if name == "Model"), "NVIDIA")


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
