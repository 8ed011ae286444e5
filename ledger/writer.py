"""The write connection: opens, checks, commits groups of requests, and settles failed commits."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from ledger import mark, schema, sqlite
from ledger.chain import Walk
from ledger.committer import Request
from ledger.errors import (
    AppendFailed,
    AppendInDoubt,
    CannotWrite,
    ChainBroken,
    CommandReused,
    FenceViolation,
    HeadMoved,
    LedgerBehind,
    LedgerDamaged,
    LedgerError,
    LedgerTooNew,
    NotALedger,
    TermLost,
)
from ledger.plan import Plan, Top, likely, plan
from ledger.record import EMPTY, Head, Record, Since

Clock = Callable[[], int]
"""Microseconds since 1970, UTC."""

_INSERT = f"INSERT INTO events ({schema.COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)"  # noqa: S608
_FROM = f"SELECT {schema.COLUMNS} FROM events WHERE seq >= ? ORDER BY seq"  # noqa: S608
_HASH = "SELECT hash FROM events WHERE seq = ?"
_LEAST = -(2**63)
_BY_CMD = f"SELECT {schema.COLUMNS} FROM events WHERE cmd IN "  # noqa: S608
_SIZES = (1, 8, 64, 512)
"""How many command ids one statement looks up; SQLite then prepares each of these once."""
_LAST = "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1"


class Reading(Protocol):
    """Takes the records in while a ledger is opened, each after it was checked."""

    @property
    def since(self) -> Since | None:
        """Up to where it was read before; events up to there are not read and checked again."""

    def restart(self) -> None:
        """Forget what was read before: this ledger does not hold that event."""

    def take(self, record: Record) -> None:
        """Take the next record in."""


class Writer:
    """Owns the one connection that appends. After construction only one thread may call it."""

    def __init__(
        self, path: Path, clock: Clock, *, create: bool, reading: Reading | None = None
    ) -> None:
        self._path = path
        self._clock = clock
        self._doubt: Head | None = None
        """Where the log ends if a commit that reported an error happened after all."""
        self._lease: int | None = None

        with sqlite.translated(path):
            if create:
                schema.create_at(path)

            kept = None if create else mark.get(path.parent)
            self._connection: sqlite.Connection | None = _open(path)
            self._top = _walk(path, self._connection, kept, reading)

    @property
    def top(self) -> Top:
        """The last acknowledged event with its term, and the run id."""
        return self._top

    @property
    def lease(self) -> int | None:
        """The term that is appended under; None before the first."""
        return self._lease

    def acquire(self) -> int:
        """Take the lease: one more than the term of the last event."""
        self._lease = self._top.term + 1
        return self._lease

    def commit(self, requests: Sequence[Request]) -> None:
        """Answer a group of requests, with one commit for all that is new in them."""
        answers: list[Plan | LedgerError] = []

        try:
            with sqlite.translated(self._path):
                self._transact(self._connected(), requests, answers)
        except LedgerError as error:
            answers = self._settle(requests, answers, error)

        for request, answer in zip(requests, answers, strict=True):
            if isinstance(answer, LedgerError):
                request.answer.set_exception(answer)
            else:
                request.answer.set_result(answer.records)

    def close(self) -> None:
        """Write the write-ahead log into the file, let both go, and keep the head beside them.

        A failure here loses nothing: the log then stays beside the file and the next open reads it.
        """
        try:
            if self._connection is not None:
                sqlite.fold(self._connection)

            if self._top.head.seq and self._doubt is None:
                mark.put(self._path.parent, self._top.head)
        except (sqlite.SqliteError, OSError):
            pass
        finally:
            self._drop()

    def _transact(
        self,
        connection: sqlite.Connection,
        requests: Sequence[Request],
        answers: list[Plan | LedgerError],
    ) -> None:
        """Plan and insert every request in one transaction, filling `answers` as it goes."""
        connection.execute("BEGIN IMMEDIATE")
        self._check_alone(connection)
        known = _Known(connection, requests, self._top.head.seq)
        rows: list[tuple[object, ...]] = []
        top = Top(self._top.head, self._lease or self.acquire(), self._top.run)

        for request in requests:
            try:
                made = plan(request, top, find=known.find, clock=self._clock)
            except (HeadMoved, CommandReused, FenceViolation) as error:
                answers.append(error)
                continue

            answers.append(made)
            top = made.top
            known.add(made.new)
            rows.extend(made.new)

        self._doubt = top.head
        connection.executemany(_INSERT, rows)
        connection.execute("COMMIT")
        self._doubt = None
        if top.head != self._top.head:
            self._top = top

    def _check_alone(self, connection: sqlite.Connection) -> None:
        """Refuse to go on when the file does not end where this process left it."""
        found = _last(connection)
        if found != self._top.head:
            raise TermLost(self._path, self._top.head.seq, found.seq)

    def _settle(
        self, requests: Sequence[Request], answers: list[Plan | LedgerError], error: LedgerError
    ) -> list[Plan | LedgerError]:
        """Find out whether a commit that reported an error happened, and answer accordingly."""
        self._drop()
        doubt = self._doubt

        try:
            with sqlite.translated(self._path):
                self._connected()
        except LedgerError as worse:
            self._drop()
            told = _worst(self._path, error, worse)
            return [told for _ in requests]

        if len(answers) == len(requests) and doubt is not None and self._top.head == doubt:
            return answers

        return [error for _ in requests]

    def _connected(self) -> sqlite.Connection:
        """Return the connection; one that was dropped is opened and its file checked again."""
        if self._connection is None:
            self._connection = _open(self._path)
            found = _walk(self._path, self._connection, None, None)
            if found.head not in (self._top.head, self._doubt):
                raise TermLost(self._path, self._top.head.seq, found.head.seq)

            # Whatever a failed sync left in doubt is written anew before anyone relies on it.
            if not sqlite.fold(self._connection):
                raise AppendFailed(self._path, "a reader keeps the write-ahead log in use")

            self._top, self._doubt = found, None

        return self._connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _open(path: Path) -> sqlite.Connection:
    """Open a ledger file for writing, refusing what is not exactly one."""
    connection = sqlite.open_writer(path)

    try:
        application, version = schema.identity(connection)
        if application != schema.APPLICATION_ID:
            raise NotALedger(path, "its application id is another")

        if version > schema.FORMAT:
            raise LedgerTooNew(path, version, schema.FORMAT)

        wrong = schema.differences(connection)
        if wrong:
            raise LedgerDamaged(path, "; ".join(wrong))

        sqlite.allow_only(connection, schema.allowed)
    except (LedgerError, sqlite.SqliteError):
        connection.close()
        raise

    return connection


def _walk(
    path: Path, connection: sqlite.Connection, kept: Head | None, reading: Reading | None
) -> Top:
    """Check every stored event, and the head that was kept; return what stands on top."""
    try:
        if kept is not None and not _holds(connection, kept):
            raise LedgerBehind(path, f"the folder has seen event {kept.seq}, which is not in it")

        since = None if reading is None else reading.since

        if reading is not None and since is not None and not _holds(connection, since.head):
            since = None
            reading.restart()

        walk = Walk(since)

        for row in connection.execute(_FROM, (_LEAST if since is None else since.head.seq + 1,)):
            record, faults = walk.step(row)
            if faults:
                raise ChainBroken(path, faults[0].seq, faults[0].says)

            if reading is not None and record is not None:
                reading.take(record)
    except (LedgerError, sqlite.SqliteError):
        connection.close()
        raise

    return Top(walk.head, walk.term, walk.run)


def _holds(connection: sqlite.Connection, head: Head) -> bool:
    return bool(connection.execute(_HASH, (head.seq,)).fetchone() == (head.hash,))


def _worst(path: Path, error: LedgerError, worse: LedgerError) -> LedgerError:
    """Choose what to tell when a commit failed and the file could not be opened again."""
    if isinstance(worse, TermLost | LedgerDamaged | CannotWrite):
        return worse

    return error if isinstance(error, CannotWrite) else AppendInDoubt(path, f"{error}; {worse}")


class _Known:
    """Looks command ids up: those of a group all at once, and what the group itself adds."""

    def __init__(
        self, connection: sqlite.Connection, requests: Sequence[Request], head: int
    ) -> None:
        asked = likely(requests, head)
        self._connection = connection
        self._asked = frozenset(asked)
        self._records = {record.cmd: record for record in _with_ids(connection, asked)}

    def find(self, cmd: str) -> Record | None:
        """Return the record with a command id, stored or about to be."""
        if cmd not in self._asked and cmd not in self._records:
            return next(_with_ids(self._connection, (cmd,)), None)

        return self._records.get(cmd)

    def add(self, records: Sequence[Record]) -> None:
        """Take in records that are about to be stored."""
        self._records.update((record.cmd, record) for record in records)


def _with_ids(connection: sqlite.Connection, cmds: Sequence[str]) -> Iterator[Record]:
    """Yield the stored records with some command ids, by few statements of few sizes."""
    for start in range(0, len(cmds), _SIZES[-1]):
        part = tuple(cmds[start : start + _SIZES[-1]])
        size = next(size for size in _SIZES if size >= len(part))
        filled = part + part[-1:] * (size - len(part))
        marks = f"({','.join('?' * size)})"
        yield from (Record(*row) for row in connection.execute(_BY_CMD + marks, filled))


def _last(connection: sqlite.Connection) -> Head:
    row = connection.execute(_LAST).fetchone()
    return Head(*row) if row else EMPTY


__all__ = ["Clock", "Reading", "Writer"]
