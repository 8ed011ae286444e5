"""Puts a job into namespaces of its own by bubblewrap: processes, mounts, queues, network, users.

Nothing is there but what `words` names, each at its own path, so that a path in the access record
means the same inside and outside. Landlock and the filter follow inside, as without it.
"""

import os
import re
import subprocess
from functools import cache

from runtime.adapters.sandbox import landlock
from runtime.adapters.sandbox.namespaces import SHARED_MEMORY

LAYERS = 2
"""Processes between whoever starts it and the job: its own, and the first of the namespace."""
_LEAST = (0, 8)  # `--size`
_MIB = 1 << 20
_APART = (
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
)


def program() -> str | None:
    """Return where bubblewrap is, or None."""
    places = (f"{folder}/bwrap" for folder in ("/usr/local/bin", "/usr/bin", "/bin"))
    return next((place for place in places if os.access(place, os.X_OK)), None)


def words(
    bwrap: str, folder: str, reads: tuple[str, ...], *, memory_mib: int, way: tuple[str, str] | None
) -> list[str]:
    """Return the words to put before the command that is to run inside.

    Args:
        bwrap: the program.
        folder: the job's; the only place that can be written to, but for what Landlock forbids.
        reads: what the job may read besides the system and the interpreter.
        memory_mib: the size of its `/dev/shm`.
        way: a link to make inside, and where it points.
    """
    made = [bwrap, *_APART, "--proc", "/proc", "--dev", "/dev"]
    made += ["--size", str(memory_mib * _MIB), "--tmpfs", SHARED_MEMORY]
    for place in sorted({*landlock.places(), *reads}):  # what holds another comes before it
        made += ["--ro-bind-try", place, place]

    made += ["--bind", folder, folder]
    made += ["--symlink", way[1], way[0]] if way else []
    return [*made, "--chdir", folder, "--"]


@cache
def version() -> str | None:
    """Return the version of a bubblewrap that works here, None where there is none."""
    bwrap = program()
    if bwrap is None:
        return None

    told = subprocess.run([bwrap, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"(\d+)\.(\d+)\S*", told.stdout)
    if found is None or (int(found[1]), int(found[2])) < _LEAST:
        return None

    return found[0] if _works(bwrap) else None


def _works(bwrap: str) -> bool:
    """Say whether this machine lets it make namespaces."""
    inside = [*words(bwrap, os.path.realpath("/tmp"), (), memory_mib=1, way=None), "/bin/true"]  # noqa: S108
    return subprocess.run(inside, capture_output=True, check=False).returncode == 0


__all__ = ["LAYERS", "program", "version", "words"]
