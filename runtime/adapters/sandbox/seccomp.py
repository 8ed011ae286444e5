"""The seccomp program of a job, as bytes of classic BPF.

Three answers. *Refuse*: EPERM in the kernel, for calls no job has business with. *Ask*: the
wrapper is told and answers, for calls whose refusal must be in the access record (a denied
`socket()` never reaches strace, since ERRNO and USER_NOTIF outrank TRACE). *Allow*: the rest.
If the wrapper is gone, what would be asked fails: the job is never freed by a dead supervisor.
"""

import errno
import os
import struct

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""AUDIT_ARCH_* of linux/audit.h."""

_KILL = 0x80000000
_ERRNO = 0x00050000
_NOTIFY = 0x7FC00000
_ALLOW = 0x7FFF0000

_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
_JEQ = 0x15
_JGE = 0x35
_JSET = 0x45
_RETURN = 0x06

_AT_NUMBER = 0
_AT_ARCH = 4
_AT_ARGUMENT = 16  # low words; both architectures are little-endian

_X32 = 0x40000000
_AF_UNIX = 1
_SOCK_STREAM = 1
_SOCK_SEQPACKET = 5
_PR_SET_SECCOMP = 22
_CLONE_NEW = 0x7E020000 | 0x00800000
"""CLONE_NEWUSER, NEWPID, NEWNET, NEWIPC, NEWUTS, NEWCGROUP, NEWNS, and CLONE_UNTRACED."""

# name: (x86_64, aarch64); None where the architecture lacks the call
ASKED: dict[str, tuple[int | None, int | None]] = {
    "connect": (42, 203),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
"""Landlock knows neither path-named UNIX sockets nor modes, owners, attributes and times."""

SOCKETS: dict[str, tuple[int, int]] = {"socket": (41, 198), "socketpair": (53, 199)}

REFUSED: dict[str, tuple[int | None, int | None]] = {
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "seccomp": (317, 277),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "file_setattr": (469, 469),
    "syslog": (103, 116),
    "iopl": (172, None),
    "ioperm": (173, None),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),  # memory that no limit of ours counts until it is mapped
    "memfd_secret": (447, 447),
    "setsid": (112, 157),  # its session is how a crash's leftovers are found
}

_CLONE = (56, 220)
_CLONE3 = (435, 435)
_PRCTL = (157, 167)
_PRLIMIT = (302, 261)


def _line(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def _answer(value: int) -> bytes:
    return _line(_RETURN, value)


def _when(number: int | None, body: bytes) -> bytes:
    """Run `body` (which must return on every way) for one call, else go on after it."""
    return b"" if number is None else _line(_JEQ, number, 0, len(body) // 8) + body


def _socket_body() -> bytes:
    """Allow UNIX stream sockets; ask about other families and about datagrams."""
    return b"".join(
        (
            _line(_LOAD, _AT_ARGUMENT),
            _line(_JEQ, _AF_UNIX, 0, 5),
            _line(_LOAD, _AT_ARGUMENT + 8),
            _line(_AND, 0xF),
            _line(_JEQ, _SOCK_STREAM, 1, 0),
            _line(_JEQ, _SOCK_SEQPACKET, 0, 1),
            _answer(_ALLOW),
            _answer(_NOTIFY),
        )
    )


def program(machine: str | None = None) -> bytes:
    """Return the filter for this machine.

    Raises:
        KeyError: the architecture is not one whose call numbers are known here.
    """
    name = machine or os.uname().machine
    arch = ARCHITECTURES[name]
    column = tuple(ARCHITECTURES).index(name)
    refuse = _answer(_ERRNO | errno.EPERM)
    parts = [_line(_LOAD, _AT_ARCH), _line(_JEQ, arch, 1, 0), _answer(_KILL)]
    parts += [_line(_LOAD, _AT_NUMBER)]
    if name == "x86_64":
        parts += [_line(_JGE, _X32, 0, 1), _answer(_KILL)]

    parts += [_when(numbers[column], _socket_body()) for numbers in SOCKETS.values()]
    parts += [_when(numbers[column], refuse) for numbers in REFUSED.values()]
    parts += [_when(numbers[column], _answer(_NOTIFY)) for numbers in ASKED.values()]
    # the flags of clone3 lie behind a pointer: libc falls back to clone on ENOSYS
    parts += [_when(_CLONE3[column], _answer(_ERRNO | errno.ENOSYS))]
    forks = _line(_LOAD, _AT_ARGUMENT) + _line(_JSET, _CLONE_NEW, 0, 1) + refuse
    parts += [_when(_CLONE[column], forks + _answer(_ALLOW))]
    filters = _line(_LOAD, _AT_ARGUMENT) + _line(_JEQ, _PR_SET_SECCOMP, 0, 1) + refuse
    parts += [_when(_PRCTL[column], filters + _answer(_ALLOW))]
    own = _line(_LOAD, _AT_ARGUMENT) + _line(_JEQ, 0, 1, 0) + refuse
    parts += [_when(_PRLIMIT[column], own + _answer(_ALLOW))]
    return b"".join((*parts, _answer(_ALLOW)))


def asked_name(number: int) -> str:
    """Return the name of a call that the filter asks about, `?` for any other."""
    column = tuple(ARCHITECTURES).index(os.uname().machine)
    for name, numbers in (*SOCKETS.items(), *ASKED.items()):
        if numbers[column] == number:
            return name

    return "?"


__all__ = ["ARCHITECTURES", "ASKED", "REFUSED", "SOCKETS", "asked_name", "program"]
