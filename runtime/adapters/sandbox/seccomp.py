"""The seccomp program of a job, as bytes of classic BPF.

Three answers. *Refuse*: EPERM in the kernel, for calls no job has business with, and for all by
which it could leave something where another job finds it. *Ask*: the
wrapper is told and answers, for calls whose refusal must be in the access record (a denied
`socket()` never reaches strace, since ERRNO and USER_NOTIF outrank TRACE). *Allow*: the rest.
If the wrapper is gone, what would be asked fails: the job is never freed by a dead supervisor.
"""

import errno
import os
import struct

from runtime.adapters.sandbox import calls

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

_RWF_NOWAIT = 8
"""Reads only what is in memory already, and so tells what somebody has read."""


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


def _argument(position: int) -> bytes:
    return _line(_LOAD, _AT_ARGUMENT + 8 * position)


def _by_word(position: int, answers: dict[int, int], otherwise: int) -> bytes:
    """Answer by the value of one argument."""
    lines = [_line(_JEQ, word, 0, 1) + _answer(answer) for word, answer in answers.items()]
    return b"".join((_argument(position), *lines, _answer(otherwise)))


def _by_bits(position: int, bits: int, answer: int) -> bytes:
    """Give an answer where one of the bits of an argument is set, else allow."""
    return _argument(position) + _line(_JSET, bits, 0, 1) + _answer(answer) + _answer(_ALLOW)


def _named_calls(column: int, *, own_pids: bool, own_signals: bool) -> list[bytes]:
    """Return the parts for the calls that are listed by name."""
    refuse, ask, allow = _answer(_ERRNO | errno.EPERM), _answer(_NOTIFY), _answer(_ALLOW)
    parts = [_when(numbers[column], _socket_body()) for numbers in calls.SOCKETS.values()]
    parts += [_when(numbers[column], refuse) for numbers in calls.REFUSED.values()]
    parts += [_when(numbers[column], ask) for numbers in calls.ASKED.values()]
    if own_pids:
        return parts

    of_itself = _by_word(0, {0: _ALLOW}, _NOTIFY)
    others = calls.PROCESSES if own_signals else calls.PROCESSES | calls.SIGNALS
    parts += [_when(numbers[column], of_itself) for numbers in others.values()]
    for name, numbers in calls.PAIRS.items():
        first = 1 if name.startswith("ioprio") else 0  # IOPRIO_WHO_PROCESS; PRIO_PROCESS
        is_own = _argument(0) + _line(_JEQ, first, 1, 0) + ask
        is_own += _argument(1) + _line(_JEQ, 0, 0, 1) + allow + ask
        parts.append(_when(numbers[column], is_own))

    return parts


def _special_calls(column: int) -> list[bytes]:
    """Return the parts for calls whose words decide."""
    eperm = _ERRNO | errno.EPERM
    locks = dict.fromkeys(calls.LOCKS, _NOTIFY) | dict.fromkeys(calls.OTHERS, eperm)
    controls = dict.fromkeys(calls.CONTROLS, _ALLOW)
    return [
        _when(calls.FCNTL[column], _by_word(1, locks, _ALLOW)),
        _when(calls.IOCTL[column], _by_word(1, controls, _ERRNO | errno.ENOTTY)),
        _when(calls.PREADV2[column], _by_bits(5, _RWF_NOWAIT, _ERRNO | errno.EOPNOTSUPP)),
        # libc then writes instead, which no job does faster than its disk is watched
        _when(calls.FALLOCATE[column], _answer(_ERRNO | errno.EOPNOTSUPP)),
        # the flags of clone3 lie behind a pointer: libc falls back to clone on ENOSYS
        _when(calls.CLONE3[column], _answer(_ERRNO | errno.ENOSYS)),
        _when(calls.CLONE[column], _by_bits(0, _CLONE_NEW, eperm)),
        _when(calls.PRCTL[column], _by_word(0, {_PR_SET_SECCOMP: eperm}, _ALLOW)),
        _when(calls.PRLIMIT[column], _by_word(0, {0: _ALLOW}, eperm)),
    ]


def program(
    machine: str | None = None, *, own_pids: bool = False, own_signals: bool = False
) -> bytes:
    """Return the filter for this machine.

    Args:
        machine: as `uname -m` says it; None: this one.
        own_pids: the job has a process namespace, so that no number names a stranger.
        own_signals: Landlock lets no signal out.

    Raises:
        KeyError: the architecture is not one whose call numbers are known here.
    """
    name = machine or os.uname().machine
    arch = ARCHITECTURES[name]
    column = tuple(ARCHITECTURES).index(name)
    parts = [_line(_LOAD, _AT_ARCH), _line(_JEQ, arch, 1, 0), _answer(_KILL)]
    parts += [_line(_LOAD, _AT_NUMBER)]
    if name == "x86_64":
        parts += [_line(_JGE, _X32, 0, 1), _answer(_KILL)]

    parts += _named_calls(column, own_pids=own_pids, own_signals=own_signals)
    parts += _special_calls(column)
    # what came after the recorder was written names paths that it would not see
    parts += [_line(_LOAD, _AT_NUMBER), _line(_JGE, calls.UNKNOWN_FROM, 0, 1)]
    parts += [_answer(_ERRNO | errno.ENOSYS)]
    return b"".join((*parts, _answer(_ALLOW)))


def asked_name(number: int) -> str:
    """Return the name of a call that the filter asks about, `?` for any other."""
    column = tuple(ARCHITECTURES).index(os.uname().machine)
    if number == calls.FCNTL[column]:
        return "fcntl"

    for table in (calls.SOCKETS, calls.ASKED, calls.PROCESSES, calls.SIGNALS, calls.PAIRS):
        for name, numbers in table.items():
            if numbers[column] == number:
                return name

    return "?"


__all__ = ["ARCHITECTURES", "asked_name", "program"]
