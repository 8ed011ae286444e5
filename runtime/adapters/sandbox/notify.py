"""Answers what the seccomp filter asks, and remembers what was refused.

The answer is never "continue" where the job could change what was looked at, such as its memory or
its descriptors: what may be done is done here, by `deputy`; mode, owner and time changes in the
job's own folders are taken as done; all else is EPERM. A call that names a process by its number
goes on when that is one of the job's, and finds nobody there otherwise.
"""

import errno
import fcntl
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from runtime.adapters.sandbox import calls, deputy, memory
from runtime.adapters.sandbox.deputy import Foreign
from runtime.adapters.sandbox.seccomp import asked_name

_RECEIVE: Final = 0xC0502100  # SECCOMP_IOCTL_NOTIF_RECV
_SEND: Final = 0xC0182101  # SECCOMP_IOCTL_NOTIF_SEND
_NOTIFICATION: Final = struct.Struct("=QIIiIQ6Q")  # struct seccomp_notif
_RESPONSE: Final = struct.Struct("=QqiI")  # struct seccomp_notif_resp
_CONTINUE: Final = 1  # SECCOMP_USER_NOTIF_FLAG_CONTINUE
_AT_ONCE: Final = 32
_REMEMBERED: Final = 10_000

_DONE_HERE: Final = frozenset(("bind", "connect", "fcntl", "flock"))
_OF_OTHERS: Final = frozenset((*calls.PROCESSES, *calls.SIGNALS, *calls.PAIRS))
_NAMED_SECOND: Final = {"getpriority": 2, "setpriority": 2, "ioprio_get": 3, "ioprio_set": 3}
"""Calls with the process in their second word, and the first word that names a whole user."""


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

    def __init__(
        self, listener: int, own: tuple[str, ...], is_member: Callable[[int], bool]
    ) -> None:
        self.listener = listener
        self.refused: dict[Refused, None] = {}
        self.defect = ""
        """What went wrong in here; the call was refused, and the record cannot be trusted."""
        self._own = own
        self._is_member = is_member
        self._busy = 0
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
        if op in _OF_OTHERS:
            go_on = self._safely(self._go_on, thread, op, arguments)
            self._reply(ticket, go_on, go_on=go_on == 0)
        elif op in _DONE_HERE and self._busy < _AT_ONCE:
            with self._lock:
                self._busy += 1

            words = (ticket, thread, op, arguments)
            threading.Thread(target=self._act, args=words, daemon=True).start()
        else:
            self._reply(ticket, self._safely(self._judge, thread, op, arguments))

        return True

    def _safely(
        self, answer: Callable[[int, str, list[int]], int], thread: int, op: str, words: list[int]
    ) -> int:
        """Answer a call whatever its words hold: what cannot be named is refused."""
        try:
            return answer(thread, op, words)
        except Foreign as foreign:
            return self._refuse(thread, op, str(foreign))
        except OSError as failure:
            return failure.errno or errno.EPERM
        except Exception as defect:
            self.defect = self.defect or f"{op}: {type(defect).__name__}: {defect}"
            return self._refuse(thread, op, "?")

    def _judge(self, thread: int, op: str, arguments: list[int]) -> int:
        """Return 0 to take a call as done, or the error it gets."""
        if op in ("socket", "socketpair"):
            raise Foreign(memory.family(arguments[0], arguments[1]))

        path = memory.named_path(thread, op, arguments)
        if path is not None and deputy.is_own(path, self._own):
            return 0

        return self._refuse(thread, op, path or "?")

    def _go_on(self, thread: int, op: str, words: list[int]) -> int:
        """Return 0 when every process a call names is the job's; the words are not memory."""
        pid, other = (struct.unpack("=i", struct.pack("=I", w & 0xFFFFFFFF))[0] for w in words[:2])
        named = [other] if op in _NAMED_SECOND else [pid]
        if op == "setpgid":
            named = [pid, other]
        elif op == "kill" and pid < -1:
            named = [-pid]

        if op in _NAMED_SECOND and pid == _NAMED_SECOND[op]:
            return self._refuse(thread, op, "every process of the user")

        return 0 if all(n == 0 or (n > 0 and self._is_member(n)) for n in named) else errno.ESRCH

    def _act(self, ticket: int, thread: int, op: str, words: list[int]) -> None:
        """Do a call on the job's behalf; it may block, so it has a thread of its own."""
        answer = self._safely(self._done, thread, op, words)
        with self._lock:
            self._busy -= 1

        self._reply(ticket, answer)

    def _done(self, thread: int, op: str, words: list[int]) -> int:
        if op == "connect":
            return deputy.connect(thread, words, self._own)

        if op == "bind":
            return deputy.bind(thread, words, self._own)

        return deputy.lock(thread, op, words, self._own)

    def _refuse(self, thread: int, op: str, path: str) -> int:
        if len(self.refused) < _REMEMBERED:
            self.refused[Refused(thread, op, path, "EPERM")] = None

        return errno.EPERM

    def _reply(self, ticket: int, error: int, *, go_on: bool = False) -> None:
        answer = _RESPONSE.pack(ticket, 0, -error, _CONTINUE if go_on else 0)
        try:
            fcntl.ioctl(self.listener, _SEND, bytearray(answer))
        except OSError:
            return  # the thread that asked is gone: nobody waits for this answer


__all__ = ["Answerer", "Refused"]
