"""Confines itself, then becomes the job: `python -I -m runtime.confine FOLDER CONTROL-FD`.

Runs under the recorder, before any line of the job. Takes the launch from the control socket,
tells the wrapper its process id there, and hands it the seccomp notification descriptor. As
little of the standard library as can be (json, typing and signal cost a third of the start-up):
this is on the way of every job.
"""

from __future__ import annotations

import marshal
import os
import resource
import socket
import sys

from runtime.adapters.sandbox import kernel, landlock, namespaces, seccomp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MIB = 1 << 20
_SLACK = 512 * _MIB
_OPEN_FILES = 4096
_SIGKILL = 9
_SEALED = ("vault", "data", "blobs", "jobs", "run")
LAUNCH_LIMIT = 1 << 17
"""Bytes of a launch: one message on a socket."""


def limit(limits: dict[str, int]) -> None:
    """Set the resource limits of this process and all its children.

    RLIMIT_DATA rather than RLIMIT_AS: it counts private writable memory, not the address space
    that thread libraries reserve and never touch. The wrapper watches the sum over processes,
    and their number: RLIMIT_NPROC does not bind root and counts the whole user's threads.
    """
    memory = limits["memory_mib"] * _MIB + _SLACK
    wanted = {
        resource.RLIMIT_CPU: limits["cpu_s"],
        resource.RLIMIT_DATA: memory,
        resource.RLIMIT_FSIZE: limits["output_mib"] * _MIB,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    for kind, value in wanted.items():
        _lower(kind, value)


def _lower(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    extra = 1 if kind == resource.RLIMIT_CPU and bound < hard % (1 << 63) else 0
    resource.setrlimit(kind, (bound, bound + extra))


def confine(folder: str, launch: dict[str, Any]) -> tuple[int, int | None]:
    """Enter the sandbox the launch asks for; return the Landlock ABI and the listener."""
    limit(launch["limits"])
    wrapped = launch["sandbox"] == "bubblewrap"
    private = launch["private"] or wrapped
    if launch["private"]:
        namespaces.enter(launch["limits"]["memory_mib"])
        given = (folder, *launch["reads"], *landlock.places())
        namespaces.hide(_sealed(launch["roots"]), given)
        namespaces.read_only(folder)

    kernel.die_with_parent(_SIGKILL)  # the parent is the recorder
    if launch["sandbox"] not in ("landlock", "bubblewrap"):
        return 0, None

    os.setpgid(0, 0)  # a signal to its group must not reach the wrapper
    kernel.forbid_new_privileges()
    kernel.drop_capabilities()
    reads, own_code = tuple(launch["reads"]), _is_our_module(launch["argv"])
    abi = landlock.restrict(folder, reads, own_code=own_code, private=private)
    program = seccomp.program(own_pids=wrapped, own_signals=abi >= landlock.SIGNAL_ABI)
    return abi, kernel.install_filter(program)


def _sealed(roots: dict[str, str]) -> tuple[str, ...]:
    """Return the places that a job is not even to find."""
    return tuple(place for name, place in roots.items() if name in _SEALED)


def _is_our_module(argv: list[str]) -> bool:
    """Say whether argv is `python [options] -m PACKAGE...` of one of our own packages."""
    options = argv[1:5]
    if "-m" not in options[:-1]:
        return False

    return options[options.index("-m") + 1].partition(".")[0] in landlock.OWN_PACKAGES


def become(launch: dict[str, Any]) -> None:
    """Execute the job in the place of this process."""
    first, *rest = launch["argv"]
    program = sys.executable if first == "python" else first
    os.execve(program, [program, *rest], launch["environment"])  # noqa: S606 - no shell: wanted


def main(arguments: list[str]) -> int:
    """Set everything up and execute the job; return only when that fails."""
    folder, descriptor = arguments[0], int(arguments[1])
    os.set_inheritable(descriptor, False)  # noqa: FBT003 - positional only
    control = socket.socket(fileno=descriptor)
    try:
        launch = marshal.loads(control.recv(LAUNCH_LIMIT))  # noqa: S302 - from our own wrapper
        abi, listener = confine(folder, launch)
    except (OSError, KeyError, ValueError) as failure:
        control.send(f"{type(failure).__name__}: {failure}".encode())
        return 111

    mounts = "private" if launch["private"] or launch["sandbox"] == "bubblewrap" else "shared"
    said = f"confined {abi} {mounts}".encode()
    socket.send_fds(control, [said], [] if listener is None else [listener])
    os.closerange(3, descriptor)
    try:
        become(launch)
    except OSError as failure:
        os.write(2, f"cannot start {launch['argv'][0]}: {failure}\n".encode())

    return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
