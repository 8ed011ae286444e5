"""The writer's thread: takes requests from any thread and hands them on in groups, in order.

Making a commit durable costs the same for one request and for many. Callers who were answered
together tend to ask again together, so after the first of them the thread waits a moment for the
others: at most as long as the last commit took, and not at all where one caller was alone.
"""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from ledger.record import NewEvent, Record

GROUP = 256
"""At most this many events share a commit, unless one request alone has more."""

WAITING = 1024
"""At most this many requests wait; further callers wait for a place."""


PATIENCE_S = 0.002
"""The longest wait for the callers of the last group."""


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
        self.groups = 0
        """Groups handed on so far; each is one commit."""
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
        company, patience = 1, 0.0

        while not ended:
            group, ended = take(self._requests, company, patience)
            start = time.monotonic()

            if defect is None and group:
                defect = self._try(group)

            for request in group:
                if defect is not None and not request.answer.done():
                    request.answer.set_exception(defect)

            company = len(group)
            patience = min(PATIENCE_S, time.monotonic() - start)

    def _try(self, group: Sequence[Request]) -> BaseException | None:
        self.groups += 1

        try:
            self._commit(group)
        except BaseException as error:  # handed to everyone who waits, not swallowed
            return error

        return None


def take(
    requests: "queue.Queue[Request | None]", company: int, patience: float
) -> tuple[list[Request], bool]:
    """Wait for a request, a moment longer for its company, and take what else is there.

    Args:
        requests: What callers handed in; None says that no more will come.
        company: How many requests the last group had.
        patience: Seconds to wait for as many.

    Returns:
        The group, and whether no more will come.
    """
    group: list[Request] = []
    events = 0
    until = 0.0

    while events < GROUP:
        rest = until - time.monotonic() if 0 < len(group) < company else 0.0

        try:
            request = requests.get(timeout=rest) if rest > 0 else requests.get(block=not group)
        except queue.Empty:
            break

        if request is None:
            return group, True

        if not group:
            until = time.monotonic() + patience

        group.append(request)
        events += len(request.events)

    return group, False


__all__ = ["GROUP", "PATIENCE_S", "WAITING", "Committer", "Request", "take"]
