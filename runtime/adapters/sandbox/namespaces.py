"""Gives a job mounts, queues and a network of its own, where this machine lets a process have them.

Run as a program it says by its exit code whether this machine does: AppArmor, a container's filter
or a system setting may refuse any of the steps. Light: it is on the way of every job.
"""

import os
import sys

from runtime.adapters.sandbox import kernel

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - mounted over
_MIB = 1 << 20
_FILES = 10_000


def enter(memory_mib: int) -> None:
    """Leave the machine's mounts, System V and POSIX objects and network behind.

    What is mounted stays readable; nothing but `/dev/shm`, empty and of that size, can be changed
    by this process and its children, but for what `writable` gives back.

    Raises:
        OSError: this machine does not let us; the process must end.
    """
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(kernel.NEW_USER | kernel.NEW_MOUNTS | kernel.NEW_IPC | kernel.NEW_NETWORK)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        handle = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(handle, text.encode())
        os.close(handle)

    kernel.mount_private()
    options = f"size={memory_mib * _MIB},nr_inodes={_FILES},mode=1777"
    kernel.mount_memory(SHARED_MEMORY, options)


def read_only(but: str) -> None:
    """Make every mount read-only but for one folder, and stand in it.

    Reading then leaves no mark on a file: no time of access is kept.
    """
    kernel.bind(but)
    os.chdir(but)  # the folder we stood in is what lies below the new mount
    kernel.set_read_only("/", recursive=True, on=True)
    kernel.set_read_only(but, recursive=False, on=False)
    kernel.set_read_only(SHARED_MEMORY, recursive=False, on=False)


def main() -> int:
    """Try it, for a process that asks what this machine can do."""
    try:
        enter(1)
        read_only(os.getcwd())  # noqa: PTH109 - as in confine
    except OSError as failure:
        os.write(2, f"{failure}\n".encode())
        return 1

    return 0


if __name__ == "__main__":
    sys.exit(main())
