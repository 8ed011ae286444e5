"""The kernel calls that Python has no name for, and nothing else.

Every function names its kernel interface; numbers are those of the uapi headers.
"""

import ctypes
import errno
import os
import socket
import struct
from collections.abc import Iterable

_libc = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_ADD_RULE = 445
_LANDLOCK_RESTRICT_SELF = 446
_LANDLOCK_CREATE_RULESET_VERSION = 1
_LANDLOCK_RULE_PATH_BENEATH = 1

_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_RDONLY = 1  # MOUNT_ATTR_RDONLY

NEW_MOUNTS = 0x00020000  # CLONE_NEWNS
NEW_IPC = 0x08000000
NEW_USER = 0x10000000
NEW_NETWORK = 0x40000000

_SECCOMP = {"x86_64": 317, "aarch64": 277}
_CAPSET = {"x86_64": 126, "aarch64": 91}
_PIDFD_GETFD = 438
_SECCOMP_SET_MODE_FILTER = 1
_SECCOMP_FILTER_FLAG_NEW_LISTENER = 1 << 3
_SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV = 1 << 5
"""A signal does not break off a call that is being answered; few programs expect EINTR there."""
_LINUX_CAPABILITY_VERSION_3 = 0x20080522


def _syscall(number: int, *arguments: int | ctypes.Array[ctypes.c_char] | None) -> int:
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    answer = int(_libc.syscall(ctypes.c_long(number), *passed))
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))

    return answer


def _prctl(option: int, *values: int) -> None:
    passed = [ctypes.c_ulong(v) for v in (*values, 0, 0, 0, 0)[:4]]
    if _libc.prctl(ctypes.c_int(option), *passed) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"prctl {option}: {os.strerror(code)}")


def become_subreaper() -> None:
    """Adopt orphaned descendants: prctl(PR_SET_CHILD_SUBREAPER)."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(signal_number: int) -> None:
    """Ask for a signal when the thread that forked us ends: prctl(PR_SET_PDEATHSIG)."""
    _prctl(PR_SET_PDEATHSIG, signal_number)


def forbid_new_privileges() -> None:
    """Make set-user-ID and file capabilities void from here on: PR_SET_NO_NEW_PRIVS."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Empty the ambient, bounding, inheritable, permitted and effective sets: capset(2).

    The bounding set must go too, or uid 0 has everything back after the next execve.
    """
    _prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(64):
        try:
            _prctl(PR_CAPBSET_DROP, capability)
        except OSError:  # past the last one (EINVAL), or none to drop (EPERM, not root)
            break

    header = ctypes.create_string_buffer(struct.pack("=Ii", _LINUX_CAPABILITY_VERSION_3, 0))
    nothing = ctypes.create_string_buffer(bytes(24))
    _syscall(_CAPSET[os.uname().machine], header, nothing)


def unshare(flags: int) -> None:
    """Stop sharing parts of the calling thread's context; flags are those of CLONE_."""
    if _libc.unshare(ctypes.c_int(flags)) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"unshare: {os.strerror(code)}")


def _mount(source: str, target: str, kind: str | None, flags: int, options: str) -> None:
    words = [None if text is None else text.encode() for text in (source, target, kind)]
    passed = options.encode() or None
    if _libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), passed) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"mount {target}: {os.strerror(code)}")


def mount_private() -> None:
    """Let no later mount of ours reach the machine, and none of it us: MS_REC | MS_PRIVATE."""
    _mount("none", "/", None, 0x4000 | 0x40000, "")


def mount_memory(place: str, options: str) -> None:
    """Mount an empty file system in memory: tmpfs, MS_NOSUID | MS_NODEV | MS_NOEXEC."""
    _mount("tmpfs", place, "tmpfs", 2 | 4 | 8, options)


def bind(place: str, source: str | None = None) -> None:
    """Let a place show another, or itself as a mount of its own: MS_BIND | MS_REC."""
    _mount(source or place, place, None, 0x1000 | 0x4000, "")


def set_read_only(place: str, *, recursive: bool, on: bool) -> None:
    """Allow or forbid writing through a mount, or all below it: mount_setattr(2)."""
    bits = (_RDONLY, 0) if on else (0, _RDONLY)
    attribute = ctypes.create_string_buffer(struct.pack("=4Q", *bits, 0, 0), 32)
    flags = _AT_RECURSIVE if recursive else 0
    path = ctypes.create_string_buffer(place.encode())
    _syscall(_MOUNT_SETATTR, _AT_FDCWD, path, flags, attribute, 32)


def landlock_abi() -> int:
    """Return the ABI of landlock_create_ruleset(2), 0 where there is none."""
    try:
        return _syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_CREATE_RULESET_VERSION)
    except OSError:
        return 0


def landlock_restrict(
    handled: Iterable[int], rules: Iterable[tuple[str, int]], file_rights: int
) -> None:
    """Enter a Landlock domain: landlock_create_ruleset, _add_rule, _restrict_self.

    Args:
        handled: the words of `struct landlock_ruleset_attr` that this ABI knows.
        rules: paths with their allowed rights; a path that is not there is passed over.
        file_rights: the rights that may be given on something that is not a directory.
    """
    words = tuple(handled)
    attribute = ctypes.create_string_buffer(struct.pack(f"={len(words)}Q", *words))
    ruleset = _syscall(_LANDLOCK_CREATE_RULESET, attribute, 8 * len(words), 0)
    for path, rights in rules:
        _add_rule(ruleset, path, rights & words[0], file_rights)

    _syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _add_rule(ruleset: int, path: str, rights: int, file_rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return

    try:
        if not os.path.isdir(path):  # noqa: PTH112 - strings: confine has no time for pathlib
            rights &= file_rights

        beneath = ctypes.create_string_buffer(struct.pack("=Qi", rights, place))
        _syscall(_LANDLOCK_ADD_RULE, ruleset, _LANDLOCK_RULE_PATH_BENEATH, beneath, 0)
    finally:
        os.close(place)


class _SockFprog(ctypes.Structure):
    """`struct sock_fprog` of linux/filter.h."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _seccomp(flags: int, block: _SockFprog) -> int:
    number, mode = ctypes.c_long(_SECCOMP[os.uname().machine]), _SECCOMP_SET_MODE_FILTER
    words = ctypes.c_long(mode), ctypes.c_long(flags), ctypes.byref(block)
    return int(_libc.syscall(number, *words))


def install_filter(program: bytes) -> int:
    """Install a seccomp filter and return its notification fd: seccomp(2), NEW_LISTENER."""
    code = ctypes.create_string_buffer(program, len(program))
    block = _SockFprog(len(program) // 8, ctypes.cast(code, ctypes.c_void_p).value)
    listening = _SECCOMP_FILTER_FLAG_NEW_LISTENER
    answer = _seccomp(listening | _SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, block)
    if answer < 0 and ctypes.get_errno() == errno.EINVAL:  # Linux before 5.19
        answer = _seccomp(listening, block)

    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")

    return answer


def receive(control: socket.socket) -> tuple[bytes, int, list[int]]:
    """Return a message, the process that sent it (by our numbers), and its descriptors.

    The socket needs SO_PASSCRED since before the message was sent.
    """
    room = socket.CMSG_SPACE(struct.calcsize("3i")) + socket.CMSG_SPACE(struct.calcsize("i"))
    message, ancillary, _, _ = control.recvmsg(4096, room, socket.MSG_CMSG_CLOEXEC)
    process, descriptors = 0, []
    for _, kind, held in ancillary:
        if kind == socket.SCM_CREDENTIALS:
            process = struct.unpack("3i", held)[0]
        elif kind == socket.SCM_RIGHTS:
            descriptors += [word for (word,) in struct.iter_unpack("i", held)]

    return message, process, descriptors


def take_descriptor(process: int, descriptor: int) -> int:
    """Copy a descriptor out of another process: pidfd_open(2), pidfd_getfd(2)."""
    handle = os.pidfd_open(process)
    try:
        return _syscall(_PIDFD_GETFD, handle, descriptor, 0)
    finally:
        os.close(handle)


__all__ = [
    "NEW_IPC",
    "NEW_MOUNTS",
    "NEW_NETWORK",
    "NEW_USER",
    "become_subreaper",
    "bind",
    "die_with_parent",
    "drop_capabilities",
    "forbid_new_privileges",
    "install_filter",
    "landlock_abi",
    "landlock_restrict",
    "mount_memory",
    "mount_private",
    "receive",
    "set_read_only",
    "take_descriptor",
    "unshare",
]
