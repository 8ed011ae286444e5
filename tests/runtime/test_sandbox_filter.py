"""The seccomp program, run here by a small interpreter for every architecture it knows."""

import errno
import struct

import pytest

from runtime.adapters.sandbox import calls, seccomp

ALLOW, NOTIFY, KILL = 0x7FFF0000, 0x7FC00000, 0x80000000
EPERM, ENOSYS, ENOTTY, EOPNOTSUPP = (
    0x00050000 | code for code in (errno.EPERM, errno.ENOSYS, errno.ENOTTY, errno.EOPNOTSUPP)
)
BOTH = pytest.mark.parametrize("machine", list(seccomp.ARCHITECTURES))


def answer(machine: str, number: int, *arguments: int, arch: int | None = None, **own: bool) -> int:
    """Run the classic BPF program over one `struct seccomp_data`."""
    arch = seccomp.ARCHITECTURES[machine] if arch is None else arch
    data = struct.pack("=IIQ6Q", number, arch, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    program = seccomp.program(machine, **own)
    at, word = 0, 0
    for _ in range(len(program) // 8):
        code, yes, no, value = struct.unpack_from("=HBBI", program, at * 8)
        at += 1
        if code == 0x20:
            (word,) = struct.unpack_from("=I", data, value)
        elif code == 0x54:
            word &= value
        elif code == 0x06:
            return int(value)
        else:
            true = {0x15: word == value, 0x35: word >= value, 0x45: bool(word & value)}[code]
            at += yes if true else no

    raise AssertionError("the program ran past its end")


def column(machine: str) -> int:
    return list(seccomp.ARCHITECTURES).index(machine)


@BOTH
def test_every_refused_call_is_refused_and_every_asked_one_asked(machine: str) -> None:
    for name, numbers in calls.REFUSED.items():
        number = numbers[column(machine)]
        assert number is None or answer(machine, number) == EPERM, name

    for name, numbers in calls.ASKED.items():
        number = numbers[column(machine)]
        assert number is None or answer(machine, number) == NOTIFY, name


@BOTH
def test_calls_newer_than_the_recorder_are_not_there(machine: str) -> None:
    named = (*calls.REFUSED.values(), *calls.ASKED.values())
    known = {numbers[column(machine)] for numbers in named}
    for number in range(calls.UNKNOWN_FROM, 600):
        assert number in known or answer(machine, number) == ENOSYS


@BOTH
def test_only_local_streams_are_not_asked_about(machine: str) -> None:
    cloexec = 0o2000000
    for numbers in calls.SOCKETS.values():
        number = numbers[column(machine)]
        for family in range(50):
            for kind in range(1, 8):
                wanted = ALLOW if family == 1 and kind in (1, 5) else NOTIFY
                assert answer(machine, number, family, kind | cloexec) == wanted


@BOTH
def test_forks_are_allowed_but_no_namespaces_and_no_untraced_children(machine: str) -> None:
    clone, clone3 = (56, 435) if machine == "x86_64" else (220, 435)

    assert answer(machine, clone, 17) == ALLOW
    assert answer(machine, clone, 0x3D0F00) == ALLOW  # a POSIX thread
    for flag in (0x00800000, 0x00020000, 0x02000000, 0x10000000, 0x20000000, 0x40000000):
        assert answer(machine, clone, flag | 17) == EPERM

    assert answer(machine, clone3) == ENOSYS


@BOTH
def test_a_filter_of_its_own_and_others_limits_are_refused(machine: str) -> None:
    prctl, prlimit = (157, 302) if machine == "x86_64" else (167, 261)

    assert answer(machine, prctl, 22) == EPERM
    assert answer(machine, prctl, 15) == ALLOW
    assert answer(machine, prlimit, 0) == ALLOW
    assert answer(machine, prlimit, 1) == EPERM


@BOTH
def test_other_architectures_are_killed_and_common_calls_allowed(machine: str) -> None:
    assert answer(machine, 0, arch=0x40000003) == KILL
    common = (0, 1, 3, 9, 257) if machine == "x86_64" else (56, 57, 63, 64, 222)
    assert {answer(machine, number) for number in common} == {ALLOW}


def test_x32_is_killed() -> None:
    assert answer("x86_64", 0x40000000 + 41, 2, 1) == KILL


@BOTH
def test_only_calls_about_itself_are_not_asked_about(machine: str) -> None:
    """Another number names a stranger, but for a job with a process namespace of its own."""
    for name, numbers in (calls.PROCESSES | calls.SIGNALS).items():
        number = numbers[column(machine)]
        assert number is not None, name
        assert answer(machine, number, 0) == ALLOW, name
        assert answer(machine, number, 1) == answer(machine, number, 2**32 - 1) == NOTIFY, name
        assert answer(machine, number, 1, own_pids=True) == ALLOW, name

        signals = ALLOW if name in calls.SIGNALS else NOTIFY
        assert answer(machine, number, 1, own_signals=True) == signals, name

    for name, numbers in calls.PAIRS.items():
        number, itself = numbers[column(machine)], int(name.startswith("ioprio"))
        assert number is not None, name
        assert answer(machine, number, itself, 0) == ALLOW, name
        for words in ((itself, 5), (5, 0), (itself + 1, 0)):
            assert answer(machine, number, *words) == NOTIFY, name
            assert answer(machine, number, *words, own_pids=True) == ALLOW, name


@BOTH
def test_locks_are_asked_about_and_what_stays_with_a_file_is_refused(machine: str) -> None:
    fcntl, ioctl = calls.FCNTL[column(machine)], calls.IOCTL[column(machine)]
    preadv2 = calls.PREADV2[column(machine)]

    assert {answer(machine, fcntl, 3, command) for command in calls.LOCKS} == {NOTIFY}
    assert {answer(machine, fcntl, 3, command) for command in calls.OTHERS} == {EPERM}
    assert {answer(machine, fcntl, 3, command) for command in (0, 1, 2, 3, 4, 1030)} == {ALLOW}
    assert {answer(machine, ioctl, 3, command) for command in calls.CONTROLS} == {ALLOW}
    for command in (0x40086602, 0x40087602, 0x401C5820, 0x5412, 0x541C, 0x8901):
        assert answer(machine, ioctl, 3, command) == ENOTTY

    assert answer(machine, preadv2, 3, 0, 1, 0, 0, 8) == EOPNOTSUPP
    assert answer(machine, preadv2, 3, 0, 1, 0, 0, 0) == ALLOW
    assert answer(machine, calls.FALLOCATE[column(machine)], 3, 0, 0, 1 << 30) == EOPNOTSUPP


@BOTH
def test_no_number_is_listed_twice(machine: str) -> None:
    tables = (
        calls.REFUSED,
        calls.ASKED,
        calls.SOCKETS,
        calls.PROCESSES,
        calls.SIGNALS,
        calls.PAIRS,
    )
    numbers = [row[column(machine)] for table in tables for row in table.values()]
    listed = [number for number in numbers if number is not None]

    assert len(listed) == len(set(listed))
