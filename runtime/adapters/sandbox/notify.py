"""Answers what the seccomp filter asks, and remembers what was refused.

The answer is never "continue": between a look at the job's memory and the kernel's own look the
job could change it. `connect` to a socket inside the job's own folders is done here, on a copy of
the job's descriptor; mode, owner and time changes there are taken as done; all else is EPERM.
"""

import errno
import fcntl
import os
import socket
import stat
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from runtime.adapters.sandbox import kernel
from runtime.adapters.sandbox.seccomp import asked_name

_RECEIVE: Final = 0xC0502100  # SECCOMP_IOCTL_NOTIF_RECV
_SEND: Final = 0xC0182101  # SECCOMP_IOCTL_NOTIF_SEND
_NOTIFICATION: Final = struct.Struct("=QIIiIQ6Q")  # struct seccomp_notif
_RESPONSE: Final = struct.Struct("=QqiI")  # struct seccomp_notif_resp
_CONNECTING_AT_ONCE: Final = 32
_REMEMBERED: Final = 10_000

_TYPES = {1: "SOCK_STREAM", 2: "SOCK_DGRAM", 3: "SOCK_RAW", 4: "SOCK_RDM", 5: "SOCK_SEQPACKET"}
_BY_DESCRIPTOR = frozenset(("fchmod", "fchown", "fsetxattr", "fremovexattr"))
_BY_FOLDER = frozenset(("fchmodat", "fchmodat2", "fchownat", "futimesat", "utimensat"))
_BY_FOLDER |= {"setxattrat", "removexattrat"}
_AT_FDCWD: Final = -100
_LAST_ADDRESS: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Refused:
    """One refused call: the thread that made it, what, where, and how it was answered."""

    thread: int
    op: str
    path: str
    """An absolute path, or a socket's family and type such as `AF_INET/SOCK_STREAM`."""
    result: str


class Answerer:
    """Holds the notification descriptor of one job."""

    def __init__(self, listener: int, own: tuple[str, ...]) -> None:
        self.listener = listener
        self.refused: dict[Refused, None] = {}
        self.defect = ""
        """What went wrong in here; the call was refused, and the record cannot be trusted."""
        self._own = own
        self._connecting = 0
        self._lock = threading.Lock()

    def answer_one(self) -> bool:
        """Receive and answer one notification; False when there is none any more."""
        buffer = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(self.listener, _RECEIVE, buffer, True)  # noqa: FBT003
        except OSError as failure:
            return failure.errno == errno.ENOENT  # the asking thread was killed meanwhile

        ticket, thread, _, number, _, _, *arguments = _NOTIFICATION.unpack(bytes(buffer))
        op = asked_name(number)
        if op == "connect" and self._connecting < _CONNECTING_AT_ONCE:
            with self._lock:
                self._connecting += 1

            work = threading.Thread(
                target=self._connect, args=(ticket, thread, arguments), daemon=True
            )
            work.start()
            return True

        self._reply(ticket, self._safely(self._judge, thread, op, arguments))
        return True

    def _safely(
        self, answer: Callable[[int, str, list[int]], int], thread: int, op: str, words: list[int]
    ) -> int:
        """Answer a call whatever its words hold: what cannot be named is refused."""
        try:
            return answer(thread, op, words)
        except OSError as failure:
            return failure.errno or errno.EPERM
        except Exception as defect:
            self.defect = self.defect or f"{op}: {type(defect).__name__}: {defect}"
            return self._refuse(thread, op, "?")

    def _judge(self, thread: int, op: str, arguments: list[int]) -> int:
        """Return 0 to take a call as done, or the error it gets."""
        if op in ("socket", "socketpair"):
            return self._refuse(thread, op, _family(arguments[0], arguments[1]))

        path = _named_path(thread, op, arguments)
        if path is not None and self._is_own(path):
            return 0

        return self._refuse(thread, op, path or "?")

    def _connect(self, ticket: int, thread: int, arguments: list[int]) -> None:
        """Connect on the job's behalf; may block, so it has a thread of its own."""
        answer = self._safely(self._connect_own, thread, "connect", arguments)
        with self._lock:
            self._connecting -= 1

        self._reply(ticket, answer)

    def _connect_own(self, thread: int, _: str, arguments: list[int]) -> int:
        address = _memory(thread, arguments[1], min(arguments[2] & 0xFFFFFFFF, 128))
        family = struct.unpack("=H", address[:2])[0] if len(address) > 1 else 0
        name = address[2:].split(b"\0")[0]
        if family != socket.AF_UNIX or not name:
            shown = "AF_UNIX/abstract" if family == socket.AF_UNIX else _family(family, 0)
            return self._refuse(thread, "connect", shown)

        path = _absolute(thread, _AT_FDCWD, os.fsdecode(name))
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            real = os.readlink(f"/proc/self/fd/{place}")  # noqa: PTH115
            if not self._is_own(real) or not stat.S_ISSOCK(os.fstat(place).st_mode):
                return self._refuse(thread, "connect", real)

            copy = kernel.take_descriptor(_process_of(thread), arguments[0])
            with socket.socket(fileno=copy) as end:
                if end.family != socket.AF_UNIX:
                    return self._refuse(thread, "connect", real)

                end.connect(f"/proc/self/fd/{place}")
        finally:
            os.close(place)

        return 0

    def _is_own(self, path: str) -> bool:
        try:
            real = os.path.realpath(path)
        except OSError:  # through another process's root or folder, which we may not follow
            return False

        return any(real == home or real.startswith(home + "/") for home in self._own)

    def _refuse(self, thread: int, op: str, path: str) -> int:
        if len(self.refused) < _REMEMBERED:
            self.refused[Refused(thread, op, path, "EPERM")] = None

        return errno.EPERM

    def _reply(self, ticket: int, error: int) -> None:
        try:
            fcntl.ioctl(self.listener, _SEND, bytearray(_RESPONSE.pack(ticket, 0, -error, 0)))
        except OSError:
            return  # the thread that asked is gone: nobody waits for this answer


def _family(family: int, kind: int) -> str:
    try:
        name = socket.AddressFamily(family & 0xFFFFFFFF).name
    except ValueError:
        name = f"AF_{family & 0xFFFFFFFF}"

    number = kind & 0xF
    return f"{name}/{_TYPES.get(number, number)}" if number else name


def _named_path(thread: int, op: str, arguments: list[int]) -> str | None:
    """Return the absolute path a call names, None where it cannot be read."""
    try:
        if op in _BY_DESCRIPTOR:
            return _absolute(thread, arguments[0], "")

        if op in _BY_FOLDER:
            text = _text(thread, arguments[1]) if arguments[1] else ""
            return _absolute(thread, _signed(arguments[0]), text)

        return _absolute(thread, _AT_FDCWD, _text(thread, arguments[0]))
    except OSError:
        return None


def _signed(word: int) -> int:
    return int(struct.unpack("=i", struct.pack("=I", word & 0xFFFFFFFF))[0])


def _absolute(thread: int, folder: int, text: str) -> str:
    if text.startswith("/"):
        return os.path.normpath(text)

    link = "cwd" if folder == _AT_FDCWD else f"fd/{folder}"
    base = os.readlink(f"/proc/{thread}/{link}")  # noqa: PTH115
    return os.path.normpath(os.path.join(base, text)) if text else base  # noqa: PTH118


def _text(thread: int, address: int) -> str:
    """Read a C string of at most PATH_MAX bytes."""
    return os.fsdecode(_memory(thread, address, 4096).split(b"\0")[0])


def _memory(thread: int, address: int, length: int) -> bytes:
    """Read another process's memory as far as it is mapped; for naming, never for trusting."""
    if address > _LAST_ADDRESS:
        raise OSError(errno.EFAULT, os.strerror(errno.EFAULT))

    place = os.open(f"/proc/{thread}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            return os.pread(place, length, address)
        except OSError:  # the string may end just before an unmapped page
            return os.pread(place, min(length, 4096 - address % 4096), address)
    finally:
        os.close(place)


def _process_of(thread: int) -> int:
    with open(f"/proc/{thread}/status", encoding="utf-8", errors="replace") as status:  # noqa: PTH123
        for line in status:
            if line.startswith("Tgid:"):
                return int(line.split()[1])

    return thread


__all__ = ["Answerer", "Refused"]
