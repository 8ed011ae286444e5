"""The border to SQLite: one library per process, its connections, and its errors in our words."""

import contextlib
import errno
import os
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from ledger.errors import (
    AppendFailed,
    CannotRead,
    CannotWrite,
    DiskFull,
    LedgerDamaged,
    LedgerError,
    NotALedger,
    SqliteTooOld,
)

OLDEST = (3, 51, 3)
"""The first SQLite without the WAL-reset defect."""

try:
    from pysqlite3 import dbapi2 as _sqlite
except ImportError as _error:  # never fall back: two SQLite libraries break each other's locks
    raise SqliteTooOld("missing (pysqlite3 is not installed)", "3.51.3") from _error

Connection: TypeAlias = Any  # pysqlite3 has no type information; this is the border
"""A connection of pysqlite3."""

SqliteError: type[Exception] = _sqlite.Error
"""Anything SQLite may raise."""

_FULL, _CORRUPT, _NOTADB = 13, 11, 26
_NO_PERMISSION = frozenset({3, 8, 14, 23})  # PERM, READONLY, CANTOPEN, AUTH

_SETTINGS = (
    "PRAGMA busy_timeout=10000",
    "PRAGMA foreign_keys=ON",
    "PRAGMA recursive_triggers=ON",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA cell_size_check=ON",
    "PRAGMA mmap_size=0",
)


def require(found: tuple[int, ...] = tuple(_sqlite.sqlite_version_info)) -> None:
    """Refuse a SQLite with the WAL-reset defect.

    Raises:
        SqliteTooOld: found is below `OLDEST`.
    """
    if found < OLDEST:
        raise SqliteTooOld(".".join(map(str, found)), ".".join(map(str, OLDEST)))


def open_writer(path: Path) -> Connection:
    """Open the one connection that may append: write-ahead log, every commit on the disk."""
    require()
    connection = _connect(path, "rw")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def create_file(path: Path) -> Connection:
    """Make an empty database at `path`, which must not exist, and open it for writing."""
    require()
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    return open_writer(path)


def open_reader(path: Path) -> Connection:
    """Open a connection that sees a live ledger and cannot write rows."""
    require()
    connection = _connect(path, "ro")
    connection.execute("PRAGMA query_only=ON")
    return connection


def open_immutable(path: Path) -> Connection:
    """Open a file that does not change, touching nothing beside it."""
    require()
    return _connect(path, "ro", "&immutable=1")


def _connect(path: Path, mode: str, more: str = "") -> Connection:
    name = f"file:{urllib.parse.quote(str(path.absolute()))}?mode={mode}{more}"
    connection = _sqlite.connect(name, uri=True, isolation_level=None, check_same_thread=False)

    try:
        for setting in _SETTINGS:
            connection.execute(setting)
    except SqliteError:
        connection.close()
        raise

    return connection


def fold(connection: Connection) -> bool:
    """Write the write-ahead log into the file and empty it; False when a reader was in the way."""
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def allow_only(connection: Connection, allowed: Callable[[int, str | None], bool]) -> None:
    """Let a connection prepare only statements whose every action is allowed."""

    def answer(action: int, first: str | None, *_rest: str | None) -> int:
        return int(_sqlite.SQLITE_OK if allowed(action, first) else _sqlite.SQLITE_DENY)

    connection.set_authorizer(answer)


def action(name: str) -> int:
    """Return the number of an authorizer action, such as `SQLITE_INSERT`."""
    return int(getattr(_sqlite, name))


@contextlib.contextmanager
def translated(path: Path, *, reading: bool = False) -> Iterator[None]:
    """Turn errors of SQLite and of the operating system into ours."""
    try:
        yield
    except OSError as error:
        raise _of_the_system(error, path, reading=reading) from error
    except SqliteError as error:
        raise _of_sqlite(error, path, reading=reading) from error


def _of_the_system(error: OSError, path: Path, *, reading: bool) -> LedgerError:
    says = error.strerror or str(error)
    if reading:
        return CannotRead(path, says)

    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return DiskFull(path) if full else CannotWrite(path, says)


def _of_sqlite(error: Exception, path: Path, *, reading: bool) -> LedgerError:
    code = int(getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
    says = str(error)

    if code == _NOTADB:
        return NotALedger(path, says)

    if code == _CORRUPT:
        return LedgerDamaged(path, says)

    if reading:
        return CannotRead(path, says)

    if code == _FULL:
        return DiskFull(path)

    return CannotWrite(path, says) if code in _NO_PERMISSION else AppendFailed(path, says)


__all__ = [
    "OLDEST",
    "Connection",
    "SqliteError",
    "action",
    "allow_only",
    "create_file",
    "fold",
    "open_immutable",
    "open_reader",
    "open_writer",
    "require",
    "translated",
]
