"""Watches one running job: its log, its questions, its limits, its end. One thread, one loop."""

from __future__ import annotations

import os
import select
import signal
import socket
import stat
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from runtime.adapters.sandbox import kernel, memory, processes, room
from runtime.adapters.sandbox.notify import Answerer

if TYPE_CHECKING:  # the wrapper never loads the ledger
    from collections.abc import Callable

    from ledger.events.codes import JobEnd
    from runtime.adapters.sandbox.recorder import Recorder

LOG_KEPT: Final = 64 * 1024
_TICK_S: Final = 0.05
_READ_S: Final = 0.2
"""Seconds of reading after which limits and lifeline are looked at again."""
_SHARE: Final = 10
"""Times as long as a count of the disk took until the next one."""
_BEAT_EVERY: Final = 20
_LAST_WORDS_S: Final = 10.0
_GIVE_UP_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits as the watch enforces them."""

    wall_s: int
    cpu_s: int
    memory_mib: int
    output_mib: int
    processes: int
    grace_s: int = 0
    """Seconds after the wall limit in which a job with checkpoints may end at its next one."""


@dataclass(slots=True)
class Seen:
    """What the watch knows when everything is over."""

    reason: str = ""
    """Why the watch ended the job, empty when it ended by itself."""
    code: JobEnd | None = None
    """The code of that reason."""
    confined: str = ""
    """Why the sandbox could not be set up, empty when it could."""
    job: int = 0
    abi: int = 0
    private: bool = False
    """The job has mounts of its own, and a `/dev/shm` in memory."""
    status: int | None = None
    """Wait status of the process we started (the recorder, or the job itself)."""
    abandoned: bool = False
    """The executor is gone or asked us to stop: leave no result."""
    log: deque[bytes] = field(default_factory=deque)
    answerer: Answerer | None = None


class Watch:
    """The loop around one started job."""

    def __init__(
        self,
        folder: Path,
        bounds: Bounds,
        child: int,
        log: int,
        control: socket.socket | None,
        recorder: Recorder | None,
        layers: int = 0,
    ) -> None:
        self.seen = Seen(job=0 if control else child)
        self._folder = folder
        self._bounds = bounds
        self._child = child
        self._recorder = child if recorder else 0
        self._record = recorder
        self._layers = layers + (1 if recorder else 0)
        self._family = processes.Family(os.getpid())
        self._poll = select.poll()
        self._log = log
        self._log_bytes = 0
        self._control = control
        self._lifeline = _is_lifeline(0)
        self._job_handle: int | None = None
        self._ticks = 0
        self._next_check = self._next_count = 0.0
        self._over_twice = (False, False)
        self._over = False
        self._deadline = time.monotonic() + bounds.wall_s
        self._asked = bounds.grace_s == 0
        for end in (log, *((control.fileno(),) if control else ())):
            self._poll.register(end, select.POLLIN)

        if self._lifeline:
            self._poll.register(0, select.POLLIN)

        signal.signal(signal.SIGTERM, self._abandon)
        signal.signal(signal.SIGINT, self._abandon)

    def run(self) -> Seen:
        """Wait for the end of the job, end what it left, and return what was seen."""
        if self._control is None:
            self._await_job(self._child)

        self._guarded(self._until_the_end)
        self._end_everyone()
        self._guarded(self._drain)
        return self.seen

    def _until_the_end(self) -> None:
        while not self._over and self._reap_child() is None:
            self._serve(_TICK_S)
            self._check()

        self._serve(0)  # a short job's confiner may have spoken and gone since the last look

    def _guarded(self, step: Callable[[], None]) -> None:
        """Take a step; a defect in it ends the job as failed, never the watch."""
        try:
            step()
        except Exception as defect:
            self._stop("DEFECT", f"its watch broke: {type(defect).__name__}: {defect}")

    def _abandon(self, *_: object) -> None:
        self.seen.abandoned = True
        self._over = True

    def _stop(self, code: JobEnd, reason: str) -> None:
        if not self._over:
            self.seen.code, self.seen.reason = code, reason

        self._over = True

    def _serve(self, wait_s: float) -> None:
        for descriptor, what in self._poll.poll(wait_s * 1000):
            if descriptor == self._log:
                self._read_log()
            elif self._control is not None and descriptor == self._control.fileno():
                self._hear()
            elif self.seen.answerer is not None and descriptor == self.seen.answerer.listener:
                if not what & select.POLLIN or not self.seen.answerer.answer_one():
                    self._poll.unregister(descriptor)

                if self.seen.answerer.defect:
                    broken = f"its record broke: {self.seen.answerer.defect}"
                    self._stop("RECORD_BROKEN", broken)
            elif descriptor == self._job_handle:
                self._poll.unregister(descriptor)
                self._over = True
            elif descriptor == 0 and not os.read(0, 4096):
                self._poll.unregister(0)
                self._abandon()

    def _read_record(self) -> None:
        """Read what was recorded since the last look; a full or broken record ends the job.

        Once in a tick, not line by line: waking up for each would cost the job more than strace.
        """
        record = self._record
        if record is None:
            return

        until = time.monotonic() + _READ_S
        while record.read() and time.monotonic() < until:
            pass

        if record.defect:
            self._stop("RECORD_BROKEN", f"its record broke: {record.defect}")
        elif record.full:
            self._stop("RECORD_LIMIT", record.full)

    def _read_log(self) -> None:
        block = os.read(self._log, LOG_KEPT)
        if not block:
            self._poll.unregister(self._log)
            return

        self.seen.log.append(block)
        self._log_bytes += len(block)
        while self._log_bytes - len(self.seen.log[0]) >= LOG_KEPT:
            self._log_bytes -= len(self.seen.log.popleft())

    def _hear(self) -> None:
        """Take the confiner's one message: who the job is, and the listener."""
        if self._control is None:
            return

        self._poll.unregister(self._control.fileno())
        try:
            message, process, descriptors = kernel.receive(self._control)
        except OSError:  # it ended before it read what it was told
            message, process, descriptors = b"", 0, []

        words = message.decode(errors="replace").split(" ")
        if words[0] != "confined":
            self.seen.confined = " ".join(words).strip() or "the confiner ended early"
            return

        self.seen.abi, self.seen.private = int(words[1]), words[2] == "private"
        if descriptors:
            own = tuple(os.path.realpath(self._folder / name) for name in ("out", "tmp"))
            self.seen.answerer = Answerer(descriptors[0], own, self._is_member)
            self._poll.register(descriptors[0], select.POLLIN)

        self._await_job(process)

    def _without_helpers(self, everyone: list[processes.Process]) -> list[processes.Process]:
        """Leave out the recorder and the first processes of a namespace: they end by themselves."""
        helpers: set[int] = set()
        layer = {self._child}
        for _ in range(self._layers):
            helpers |= layer
            layer = {p.pid for p in everyone if p.parent in layer}

        return [p for p in everyone if p.pid not in helpers]

    def _is_member(self, thread: int) -> bool:
        """Say whether a thread is one of the job's."""
        process = memory.process_of(thread)
        return process != self._recorder and processes.descends(process, os.getpid())

    def _await_job(self, pid: int) -> None:
        self.seen.job = pid
        with suppress(ProcessLookupError):
            self._job_handle = os.pidfd_open(pid)
            self._poll.register(self._job_handle, select.POLLIN)

    def _reap_child(self) -> int | None:
        """Bury every child that ended; return our own one's wait status, None while it runs."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == self._child:
                    self.seen.status = status
                elif pid == 0:
                    break

        return self.seen.status

    def _check(self) -> None:
        """Hold the limits against what the job uses now."""
        if time.monotonic() < self._next_check:
            return

        self._read_record()
        self._next_check = time.monotonic() + _TICK_S
        self._ticks += 1
        bounds = self._bounds
        members = self._without_helpers(self._family.members())
        if time.monotonic() > self._deadline and not self._asked:
            self._ask()
        elif time.monotonic() > self._deadline:
            self._stop("WALL_LIMIT", f"wall limit of {bounds.wall_s} s reached")
        elif len(members) > bounds.processes:
            self._stop("PROCESS_LIMIT", f"process limit of {bounds.processes} reached")
        elif sum(p.cpu_ms for p in members) > bounds.cpu_s * 1000:
            self._stop("CPU_LIMIT", f"CPU limit of {bounds.cpu_s} s reached")
        elif self._holds_too_much(members):
            self._stop("MEMORY_LIMIT", f"memory limit of {bounds.memory_mib} MiB reached")

        self._check_sizes(members)
        if self._ticks % _BEAT_EVERY == 0:
            os.utime(self._folder / "beat")

    def _holds_too_much(self, members: list[processes.Process]) -> bool:
        """Say whether memory is over its limit; count exactly only where a rough sum says so.

        Twice in a row: processes are read one after the other, and one that ends meanwhile leaves
        its share of what they have in common to those that are read after it.
        """
        bound = self._bounds.memory_mib * 1024
        beside = processes.private_kib(self.seen.job) if self.seen.private else 0
        rough = sum(p.rss_kib for p in members) + beside
        over = rough > bound and processes.memory_kib(members, beside=beside) > bound
        self._over_twice = (self._over_twice[1], over)
        return all(self._over_twice)

    def _ask(self) -> None:
        """Ask a job with checkpoints to end at its next one, and give it time for that."""
        (self._folder / "ask" / "stop").touch()
        self._asked = True
        self._deadline = time.monotonic() + self._bounds.grace_s

    def _check_sizes(self, members: list[processes.Process]) -> None:
        """Count what the job takes of the disk: often where that is quick, for it may grow fast."""
        began = time.monotonic()
        if began < self._next_count:
            return

        over = room.taken(self._folder, members).over(self._bounds.output_mib)
        if over:
            self._stop("OUTPUT_LIMIT", over)

        now = time.monotonic()
        self._next_count = now + _SHARE * (now - began)

    def _end_everyone(self) -> None:
        """Kill all descendants; the helpers last, so that they can say how the others ended."""
        began = time.monotonic()
        wait_s = 0.002
        while left := self._family.members(afresh=True):
            spent = time.monotonic() - began
            late = spent > _LAST_WORDS_S
            processes.kill(left if late else self._without_helpers(left))
            self._guarded(self._read_record)
            self._guarded(lambda: self._serve(wait_s))  # noqa: B023 - called at once
            self._reap_child()
            wait_s = min(2 * wait_s, 0.02)
            if spent > _GIVE_UP_S:
                self.seen.code = "NOT_ENDED"
                self.seen.reason = f"process {left[0].pid} does not end (state {left[0].state})"
                break

        self._reap_child()

    def _drain(self) -> None:
        """Read what is left in the pipe; nobody writes to it any more."""
        os.set_blocking(self._log, False)
        with suppress(BlockingIOError):
            while block := os.read(self._log, LOG_KEPT):
                self.seen.log.append(block)


def _is_lifeline(descriptor: int) -> bool:
    """Say whether our standard input is a pipe whose other end the executor holds open."""
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False

    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


__all__ = ["LOG_KEPT", "Bounds", "Seen", "Watch"]
