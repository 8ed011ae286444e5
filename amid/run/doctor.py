"""What this machine has of what the runtime needs, and how to get the rest."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

OURS = ("ledger", "runtime", "projections", "amid", "replay")
"""Import names of this distribution."""

DISTRIBUTION = "amid-runtime"
SQLITE = (3, 51, 3)
PYTHON = (3, 11)
KERNEL = (5, 13)
ROOM = 5 * 2**30
"""Free bytes under which a run on real volumes may end for lack of space."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was looked for."""

    name: str
    state: Literal["ok", "missing"]
    needed: bool
    """Whether `amid run` with its defaults cannot do without it."""
    says: str
    hint: str = ""


def examine() -> tuple[Item, ...]:
    """Look for everything; import nothing heavy."""
    return (
        _python(),
        _sqlite(),
        *_linux(),
        _tool("git", "worktrees and frozen commits", needed=True),
        _tool("strace", "the record of what a job opened", needed=False),
        _disk(Path.cwd()),
        *_libraries(),
        *_shadows(),
    )


def _item(name: str, says: str, *, found: bool, needed: bool = True, hint: str = "") -> Item:
    return Item(name, "ok" if found else "missing", needed, says, "" if found else hint)


def _python() -> Item:
    found = sys.version_info >= PYTHON
    return _item("python", platform.python_version(), found=found, hint="install Python 3.11")


def _sqlite() -> Item:
    try:
        from pysqlite3 import dbapi2
    except ImportError as error:
        hint = "pip install -c constraints.txt pysqlite3"
        return _item("sqlite", f"pysqlite3 is missing: {error}", found=False, hint=hint)

    found = dbapi2.sqlite_version_info >= SQLITE
    says = f"{dbapi2.sqlite_version}; the ledger needs {'.'.join(map(str, SQLITE))}"
    return _item("sqlite", says, found=found, hint="pip install --upgrade pysqlite3")


def _linux() -> Iterator[Item]:
    """Say what the kernel offers to shut a job in."""
    release = platform.release()
    linux = sys.platform == "linux"
    numbers = tuple(int(part) for part in release.split("-")[0].split(".")[:2] if part.isdecimal())
    yield _item(
        "kernel",
        f"{platform.system()} {release}",
        found=linux and numbers >= KERNEL,
        hint="`amid run` needs Linux 5.13 or later; looking back on a run works anywhere",
    )
    abi = landlock_abi() if linux else 0
    yield _item(
        "landlock",
        f"ABI {abi}" if abi else "not available here",
        found=abi > 0,
        hint="boot with lsm=…,landlock; or run with --sandbox none, which lowers the assurance",
    )
    filters = Path("/proc/sys/kernel/seccomp/actions_avail")
    actions = filters.read_text().split() if filters.is_file() else []
    yield _item(
        "seccomp",
        " ".join(actions) or "not available here",
        found="user_notif" in actions,
        hint="a kernel with CONFIG_SECCOMP_FILTER; or run with --sandbox none",
    )
    yield _mounts()
    yield _bubblewrap()


def _mounts() -> Item:
    """Say whether jobs get mounts of their own; import the sandbox only for that."""
    from runtime.adapters.sandbox.probe import private_mounts

    found = private_mounts()
    without = "none: a job has no /dev/shm, so no multiprocessing and no loader with workers"
    return _item(
        "mounts",
        "each job has its own /dev/shm and reads everything else read-only" if found else without,
        found=found,
        needed=False,
        hint="allow user namespaces: sysctl user.max_user_namespaces=10000, and on Ubuntu "
        "kernel.apparmor_restrict_unprivileged_userns=0",
    )


def _bubblewrap() -> Item:
    """Say whether `--sandbox bubblewrap` works here."""
    from runtime.adapters.sandbox import bubblewrap

    version, place = bubblewrap.version(), bubblewrap.program()
    absent = (
        "not on PATH" if place is None else f"{place} is too old or cannot make namespaces here"
    )
    return _item(
        "bubblewrap",
        f"{version}: namespaces for each job with --sandbox bubblewrap" if version else absent,
        found=version is not None,
        needed=False,
        hint="apt-get install bubblewrap (0.8 or later), and allow user namespaces as for mounts",
    )


def landlock_abi() -> int:
    """Return the Landlock ABI of this kernel; 0 when there is none."""
    import ctypes

    create_ruleset, ask_version = 444, 1
    libc = ctypes.CDLL(None, use_errno=True)
    answer = libc.syscall(create_ruleset, None, ctypes.c_size_t(0), ask_version)
    return max(int(answer), 0)


def _tool(name: str, purpose: str, *, needed: bool) -> Item:
    place = shutil.which(name)
    hint = f"apt-get install {name}, or your system's own way"
    says = place or f"not on PATH: {purpose}"
    return _item(name, says, found=place is not None, needed=needed, hint=hint)


def _disk(folder: Path) -> Item:
    free = shutil.disk_usage(folder).free
    says = f"{free / 2**30:.1f} GiB free here"
    writable = os.access(folder, os.W_OK)
    if not writable:
        says += ", and the folder cannot be written to"

    hint = "change to a folder with at least 5 GiB that you may write to"
    return _item("disk", says, found=free >= ROOM and writable, needed=False, hint=hint)


def _libraries() -> Iterator[Item]:
    """Say which heavy libraries are installed, by their metadata, without importing them."""
    for name, needed in (("SimpleITK", True), ("torch", False), ("monai", False)):
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            hint = f"pip install -c constraints.txt {name}"
            yield _item(name, "not installed", found=False, needed=needed, hint=hint)
        else:
            yield _item(name, version, found=True, needed=needed)


def _shadows() -> Iterator[Item]:
    """Say for each of our import names whether another distribution claims it."""
    owners = metadata.packages_distributions()
    for name in OURS:
        others = sorted({dist for dist in owners.get(name, ()) if dist != DISTRIBUTION})
        says = f"also claimed by {', '.join(others)}" if others else "ours alone"
        hint = f"pip uninstall {' '.join(others)}; or use an environment of its own"
        yield _item(f"import {name}", says, found=not others, hint=hint)
