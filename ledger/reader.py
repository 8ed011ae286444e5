"""Reads a ledger and changes nothing in its folder, not even SQLite's side files."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from ledger import schema, sqlite, walfile
from ledger.errors import LedgerTooNew, LedgerUnsettled, NotALedger
from ledger.record import Record

_TRIES = 40
_PAUSE_S = 0.025
_CHUNK = 1 << 20

_FROM = f"SELECT {schema.COLUMNS} FROM events WHERE seq >= ? ORDER BY seq"  # noqa: S608
_LEAST = -(2**63)

Row = tuple[object, ...]
"""A stored row as SQLite gives it, before anything is believed about it."""


class Meta(NamedTuple):
    """What the header of a file says it is."""

    application_id: int
    user_version: int


class Reader:
    """An open ledger. Reads the file in place, or a copy when there is a write-ahead log."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.wal = walfile.WalState(0, 0, None)
        """What the write-ahead log held when the ledger was opened."""
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self._place = path

        if not path.is_file():
            raise NotALedger(path, "there is no such file")

        with sqlite.translated(path, reading=True):
            if _size(_wal(path)):
                self._copy, self.wal = _take_copy(path)
                self._place = Path(self._copy.name) / path.name

            self._before = _state(path)
            self.connection = self._open()

    def _open(self) -> sqlite.Connection:
        try:
            if self._copy is None:
                connection = sqlite.open_immutable(self._place)
            else:
                connection = sqlite.open_reader(self._place)

            # Text that is not UTF-8 must reach whoever checks it, not stop the reading.
            connection.text_factory = _lenient
            self.meta = Meta(*schema.identity(connection))
        except BaseException:
            self._drop_copy()
            raise

        return connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go and remove the copy, if there is one."""
        self.connection.close()
        self._drop_copy()

    def require(self) -> None:
        """Refuse what is not a ledger that this program can read.

        Raises:
            NotALedger: the header says that it is something else.
            LedgerTooNew: a later version of this program wrote it.
        """
        if self.meta.application_id != schema.APPLICATION_ID:
            raise NotALedger(self.path, "its application id is another")

        if self.meta.user_version > schema.FORMAT:
            raise LedgerTooNew(self.path, self.meta.user_version, schema.FORMAT)

    def rows(self, first: int = _LEAST) -> Iterator[Row]:
        """Yield stored rows from a `seq` on, in order, as they are; by default really all.

        Raises:
            LedgerUnsettled: the file was written to meanwhile, so this was not one state of it.
        """
        with sqlite.translated(self.path, reading=True):
            # not `yield from`: it would close the cursor of a connection that is closed already
            for row in self.connection.execute(_FROM, (first,)):  # noqa: UP028
                yield row

        if self._copy is None and _state(self.path) != self._before:
            raise LedgerUnsettled(self.path)

    def records(self, after: int = 0) -> Iterator[Record]:
        """Yield stored records after a `seq`, in order, unchecked; see `ledger.fsck`."""
        for row in self.rows(after + 1):
            yield Record(*row)  # type: ignore[arg-type]  # the table is STRICT

    def _drop_copy(self) -> None:
        if self._copy is not None:
            self._copy.cleanup()


def read(path: Path) -> Reader:
    """Open a ledger for reading.

    Raises:
        NotALedger: the file is missing or something else.
        LedgerTooNew: a later version of this program wrote it.
        CannotRead: no permission, or the disk does not answer.
        LedgerUnsettled: it is written to so fast that no state of it could be copied.
    """
    reader = Reader(path)

    try:
        reader.require()
    except BaseException:
        reader.close()
        raise

    return reader


def _take_copy(path: Path) -> tuple["tempfile.TemporaryDirectory[str]", walfile.WalState]:
    """Copy a file with its write-ahead log, both as they were at one moment."""
    for _ in range(_TRIES):
        folder = tempfile.TemporaryDirectory(prefix="amid-read-")
        try:
            state = _try_copy(path, Path(folder.name) / path.name)
        except BaseException:
            folder.cleanup()
            raise

        if state is not None:
            return folder, state

        folder.cleanup()
        time.sleep(_PAUSE_S)

    raise LedgerUnsettled(path)


def _try_copy(path: Path, copy: Path) -> walfile.WalState | None:
    """Copy once; None when something was written meanwhile.

    The log only grows at its end until the file itself is written to, so a file that did not
    change, with a beginning of the log that did not change, are one state of the ledger.
    """
    size = _size(_wal(path))
    _copy_bytes(path, copy)
    _copy_bytes(_wal(path), _wal(copy))

    if not _begins_with(_wal(path), _wal(copy), exact=False):
        return None

    if not _begins_with(path, copy, exact=True):
        return None

    still = size == _size(_wal(copy)) == _size(_wal(path))
    state = walfile.inspect(_wal(copy))
    return state if still or state.damage is None else None


def _copy_bytes(source: Path, target: Path) -> None:
    with target.open("wb") as writer:
        if source.is_file():
            with source.open("rb") as reader:
                while piece := reader.read(_CHUNK):
                    writer.write(piece)


def _begins_with(path: Path, copy: Path, *, exact: bool) -> bool:
    if _size(path) < _size(copy) or (exact and _size(path) != _size(copy)):
        return False

    if not _size(copy):
        return True

    with path.open("rb") as ours, copy.open("rb") as theirs:
        while piece := theirs.read(_CHUNK):
            if ours.read(len(piece)) != piece:
                return False

    return True


def _wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _state(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ino


def _lenient(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


__all__ = ["Meta", "Reader", "Row", "read"]
