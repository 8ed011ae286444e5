"""A ledger held for appending: the facade over its lock, its writer thread and its reads."""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Self

from ledger import canonical, fence, schema, sqlite
from ledger.committer import Committer, Request
from ledger.errors import FenceViolation, LedgerClosed, LedgerDamaged, LedgerExists, NotALedger
from ledger.lock import WriterLock
from ledger.record import Head, NewEvent, Record, Since
from ledger.writer import Clock, Reading, Writer

PAGE = 512
"""Rows fetched at a time; no read transaction stays open between pages."""

_AFTER = f"SELECT {schema.COLUMNS} FROM events WHERE seq > ? ORDER BY seq LIMIT ?"  # noqa: S608


def wall_clock() -> int:
    """Return the machine's time in microseconds since 1970, UTC: a claim, never an order."""
    return time.time_ns() // 1000


class Ledger:
    """A ledger held by this process for appending. Safe to use from any thread.

    Make one with `create` or `open`. Close it before its folder is moved or renamed.
    """

    def __init__(self, path: Path, lock: WriterLock, writer: Writer) -> None:
        self.path = path
        self._lock = lock
        self._writer = writer
        self._reading = Lock()
        self._closed = False
        self._reader = sqlite.open_reader(path)
        self._committer = Committer(writer.commit)

    @classmethod
    def create(cls, path: Path, *, clock: Clock = wall_clock) -> Self:
        """Make an empty ledger at `path` and hold it.

        Raises:
            LedgerExists: something is there already.
            WriterBusy: another process holds the folder.
            CannotWrite: the folder does not take files.
        """
        if path.exists():
            raise LedgerExists(path)

        return cls._hold(path, clock, create=True)

    @classmethod
    def open(cls, path: Path, *, clock: Clock = wall_clock, reading: Reading | None = None) -> Self:
        """Hold a ledger that is there, after checking every event in it.

        Args:
            path: the file.
            clock: says what time it is.
            reading: takes each record in as it is checked; where it knows the ledger up to some
                event, only what follows is read.

        Raises:
            NotALedger: the file is missing or something else.
            LedgerTooNew: a later version of this program wrote it.
            LedgerDamaged: its schema or an event is not what it was.
            WriterBusy: another process holds it.
            CannotWrite: the file or its folder cannot be written.
        """
        if not path.is_file():
            raise NotALedger(path, "there is no such file")

        return cls._hold(path, clock, create=False, reading=reading)

    @classmethod
    def _hold(
        cls, path: Path, clock: Clock, *, create: bool, reading: Reading | None = None
    ) -> Self:
        since = datetime.fromtimestamp(clock() / 1e6, UTC).isoformat(timespec="seconds")
        lock = WriterLock(path.parent, since)

        try:
            writer = Writer(path, clock, create=create, reading=reading)
        except BaseException:
            lock.release()
            raise

        return cls(path, lock, writer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def head(self) -> Head:
        """The last acknowledged event: its `seq` and `hash`."""
        return self._writer.top.head

    @property
    def since(self) -> Since | None:
        """The last acknowledged event with what the next must follow; None before the first."""
        top = self._writer.top
        return None if top.run is None else Since(top.head, top.term, top.run)

    @property
    def run(self) -> str:
        """The run id in hex; empty before the first event."""
        run = self._writer.top.run
        return run.hex() if run else ""

    @property
    def term(self) -> int:
        """The lease this process appends under; 0 before it took one."""
        return self._writer.lease or 0

    @property
    def groups(self) -> int:
        """How many commits this process has made or tried."""
        return self._committer.groups

    def acquire(self) -> int:
        """Take the writer's lease: one more than the term of the last event.

        The first append takes it by itself where nobody called this.
        """
        return self._writer.acquire()

    def append(
        self, events: Sequence[NewEvent], *, expect_head: int | None = None
    ) -> tuple[Record, ...]:
        """Store events together, and return their records once they are on the disk.

        Where a command is recorded already with the same content, its stored record is returned
        and nothing is added; so a caller who lost an answer may ask again.

        Args:
            events: in order; bodies in canonical JSON.
            expect_head: the `seq` the events were decided on; None appends to whatever is last.

        Raises:
            HeadMoved: the last event is another than `expect_head`; nothing was appended.
            CommandReused: a command id is stored with another content; nothing was appended.
            FenceViolation: an event cannot be stored as it is; nothing was appended.
            TermLost: another process wrote to the file; nothing was appended.
            CannotWrite: no space or no permission.
            AppendFailed: the machine failed; the events are not in the file.
            AppendInDoubt: the machine failed; whether they are is not known yet.
            LedgerClosed: the ledger was closed.
        """
        for event in events:
            _check(event)

        request = Request(tuple(events), expect_head)
        if not self._committer.submit(request):
            raise LedgerClosed(self.path)

        return request.answer.result()

    def records(self, after: int = 0) -> Iterator[Record]:
        """Yield the acknowledged records after a `seq`, in order, up to the head when asked.

        Raises:
            LedgerClosed: the ledger was closed meanwhile.
            CannotRead: the disk does not answer.
        """
        until = self.head.seq
        last = after

        while last < until:
            with self._reading, sqlite.translated(self.path, reading=True):
                if self._closed:
                    raise LedgerClosed(self.path)

                rows = self._reader.execute(_AFTER, (last, min(PAGE, until - last))).fetchall()

            if not rows:
                raise LedgerDamaged(self.path, f"event {last + 1} is gone")

            yield from (Record(*row) for row in rows)
            last += len(rows)

    def close(self) -> None:
        """Finish what is queued, fold the write-ahead log into the file and let it go."""
        self._committer.stop()

        with self._reading:
            self._closed = True
            self._reader.close()

        self._writer.close()
        self._lock.release()


def _check(event: NewEvent) -> None:
    """Refuse what cannot be stored, on the caller's thread.

    Raises:
        FenceViolation: the type, version, command id or body is not of the allowed form.
    """
    faults = fence.column_faults(
        type=event.type,
        v=event.v,
        cmd="none" if event.cmd is None else event.cmd,
        at_us=0,  # the writer's own clock is looked at when it is read
        size=len(event.body),
    )
    for says in faults:
        raise FenceViolation(f"an event {event.type[:120]!r}", says)

    if not isinstance(canonical.decode(event.body), dict):
        raise FenceViolation(f"the body of {event.type}", "a body is a JSON object")


__all__ = ["Ledger", "wall_clock"]
