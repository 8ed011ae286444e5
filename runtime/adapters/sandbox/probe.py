"""What this machine can give: sandbox kinds with their versions."""

import os
import re
import subprocess
import sys
import tempfile
from functools import cache

from runtime.adapters.sandbox import bubblewrap, kernel, landlock, seccomp, strace
from runtime.errors import SandboxUnavailable
from runtime.ports import Sandbox


@cache
def available_sandboxes() -> tuple[str, ...]:
    """Return kinds and recorders that are here, such as ("landlock:7", "strace:6.1", "none")."""
    found = []
    if sys.platform == "linux" and os.uname().machine in seccomp.ARCHITECTURES:
        abi = kernel.landlock_abi()
        found += [f"landlock:{abi}"] if abi else []

        found += ["mounts"] if private_mounts() else []

        found += [f"bubblewrap:{bubblewrap.version()}"] if bubblewrap.version() else []

    version = _strace_version()
    found += [f"strace:{version}"] if version else []
    return (*found, "none")


@cache
def private_mounts() -> bool:
    """Say whether a job can have mounts of its own here, and with them its own `/dev/shm`."""
    words = [sys.executable, "-I", "-m", "runtime.adapters.sandbox.namespaces"]
    place = tempfile.gettempdir()
    tried = subprocess.run(words, cwd=place, capture_output=True, check=False)
    return tried.returncode == 0


def _strace_version() -> str | None:
    program = strace.program()
    if program is None:
        return None

    told = subprocess.run([program, "-V"], capture_output=True, text=True, check=False)
    version = re.search(r"version (\S+)", told.stdout)
    return version[1] if version else "unknown"


def require(kind: Sandbox, protected: tuple[str, ...], reads: tuple[str, ...]) -> None:
    """Check that a sandbox can be had here and would hide the protected paths.

    Args:
        kind: the sandbox asked for.
        protected: what a job must not read.
        reads: what this job may read besides the interpreter.

    Raises:
        SandboxUnavailable: it cannot, or a folder that the job reads holds such a path.
    """
    if kind in ("none", "trusted"):
        return

    if not any(name.startswith("landlock:") for name in available_sandboxes()):
        raise SandboxUnavailable(
            "this machine has no Landlock sandbox",
            where=f"{sys.platform} {os.uname().release} {os.uname().machine}",
            why="without it an attempt could read the hidden labels",
            hint="use Linux 5.13 or later with Landlock on, or --sandbox none (assurance: none)",
        )

    if kind == "bubblewrap" and bubblewrap.version() is None:
        raise SandboxUnavailable(
            "this machine has no bubblewrap sandbox",
            where=bubblewrap.program() or "bwrap is not on PATH",
            why="its namespaces were asked for, and a weaker sandbox is never taken in silence",
            hint="apt-get install bubblewrap (0.8 or later) and allow user namespaces, see `amid "
            "doctor`; or use --sandbox landlock",
        )

    home = landlock.exposed(protected, reads)
    if home is not None:
        raise SandboxUnavailable(
            "the run or its data lies inside a folder that the job must read",
            where=home,
            why="an attempt could read the hidden labels",
            hint="put the run and the data outside the Python installation and /usr",
        )


__all__ = ["available_sandboxes", "private_mounts", "require"]
