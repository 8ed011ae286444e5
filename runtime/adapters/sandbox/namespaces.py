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


def hide(roots: tuple[str, ...], given: tuple[str, ...]) -> None:
    """Put an empty folder over each root, with nothing in it but what was given.

    What is hidden has no name any more: it can neither be opened nor looked at. Stand in a given
    folder anew afterwards: the one we stand in is still the hidden one.
    """
    there = sorted(place for place in set(given) if os.path.exists(place))  # noqa: PTH110
    handles = {place: os.open(place, os.O_PATH | os.O_CLOEXEC) for place in there}
    for root in _outermost(roots, given):
        kernel.mount_memory(root, "size=1m,nr_inodes=1000,mode=0755")
        for place in there:  # what holds another comes before it
            if place.startswith(f"{root}/"):
                _show(place, f"/proc/self/fd/{handles[place]}")

    for handle in handles.values():
        os.close(handle)


def _outermost(roots: tuple[str, ...], given: tuple[str, ...]) -> list[str]:
    """Return the roots that are there, lie in no other, and are no part of what was given."""
    found: list[str] = []
    for root in sorted({os.path.realpath(path) for path in roots}):
        inside = any(root == home or root.startswith(f"{home}/") for home in (*found, *given))
        if root != "/" and os.path.isdir(root) and not inside:  # noqa: PTH112 - as in confine
            found.append(root)

    return found


def _show(place: str, source: str) -> None:
    """Make a hidden folder or file seen again."""
    if os.path.isdir(source):  # noqa: PTH112
        os.makedirs(place, exist_ok=True)  # noqa: PTH103
    elif not os.path.exists(place):  # noqa: PTH110
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC))

    kernel.bind(place, source)


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
        hide((os.path.dirname(os.getcwd()),), (os.getcwd(),))  # noqa: PTH109, PTH120 - as in confine
        read_only(os.getcwd())  # noqa: PTH109
    except OSError as failure:
        os.write(2, f"{failure}\n".encode())
        return 1

    return 0


if __name__ == "__main__":
    sys.exit(main())
