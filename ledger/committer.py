"""The writer's thread: takes requests from any thread and hands them on in groups, in order."""

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from ledger.record import NewEvent, Record

GROUP = 256
"""At most this many events share a commit, unless one request alone has more."""

WAITING = 1024
"""At most this many requests wait; further callers wait for a place."""


@dataclass(frozen=True, slots=True)
class Request:
    """Events that are appended together or not at all."""

    events: tuple[NewEvent, ...]
    expect_head: int | None
    answer: "Future[tuple[Record, ...]]" = field(default_factory=Future)


class Committer:
    """One thread that calls `commit` with what has come in since its last call.

    `commit` must answer every request it is given. What it raises is a defect: it is handed to
    all who wait, now and later, and nothing more is committed.
    """

    def __init__(self, commit: Callable[[Sequence[Request]], None]) -> None:
        self._commit = commit
        self._requests: queue.Queue[Request | None] = queue.Queue(WAITING)
        self._open = True
        self._gate = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="ledger-writer", daemon=True)
        self._thread.start()

    def submit(self, request: Request) -> bool:
        """Queue a request, waiting for a place; False when the thread was stopped."""
        with self._gate:
            if self._open:
                self._requests.put(request)

            return self._open

    def stop(self) -> None:
        """Let the thread finish what is queued, and wait for it."""
        with self._gate:
            if self._open:
                self._open = False
                self._requests.put(None)

        self._thread.join()

    def _work(self) -> None:
        defect: BaseException | None = None
        ended = False

        while not ended:
            group, ended = self._take()
            if defect is None and group:
                defect = self._try(group)

            for request in group:
                if defect is not None and not request.answer.done():
                    request.answer.set_exception(defect)

    def _try(self, group: Sequence[Request]) -> BaseException | None:
        try:
            self._commit(group)
        except BaseException as error:  # handed to everyone who waits, not swallowed
            return error

        return None

    def _take(self) -> tuple[list[Request], bool]:
        """Wait for a request, then take what else is there."""
        group: list[Request] = []
        events = 0

        while events < GROUP:
            try:
                request = self._requests.get(block=not group)
            except queue.Empty:
                break

            if request is None:
                return group, True

            group.append(request)
            events += len(request.events)

        return group, False


__all__ = ["GROUP", "WAITING", "Committer", "Request"]
