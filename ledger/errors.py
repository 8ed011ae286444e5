"""What can go wrong with a ledger, and the exit code each leaf stands for.

    LedgerError                    5   anything below
    ├── NotALedger                 3   the file is missing, or is something else
    ├── LedgerTooNew               3   written by a later version of this program
    ├── LedgerExists               2   a new ledger was asked for where one stands
    ├── SqliteTooOld               3   the SQLite library has a known defect, or is missing
    ├── CannotWrite                3   no permission, or a read-only file system
    │   └── DiskFull               3   no space
    ├── CannotRead                 3   no permission, or the disk does not answer
    ├── LedgerDamaged              1   the file is not whole
    │   ├── ChainBroken            1   a stored event is not what its hash says
    │   └── LedgerBehind           1   it was cut, or an older copy of it was put back
    ├── HeadMoved                  5   somebody appended since the decision was made
    ├── CommandReused              5   one command id with two contents
    ├── FenceViolation             5   a value outside what an event body may hold
    ├── WriterBusy                 4   another process holds the run
    ├── TermLost                   4   another process wrote although we held the run
    ├── LedgerUnsettled            4   the file changed while it was read
    ├── LedgerClosed               5   used after close
    ├── AppendFailed               5   the append did not happen, for a reason of the machine
    │   └── AppendInDoubt          5   nobody can say yet whether it happened
    ├── BadDigest                  5   not 64 lowercase hex characters
    ├── BlobMissing                3   a named blob is not in the store
    ├── BlobChanged                1   a blob's bytes are not what its name says
    └── NotAFile                   5   only regular files become blobs

Every message says what happened, where, why it matters and what to do.
"""

from pathlib import Path
from typing import ClassVar


class LedgerError(Exception):
    """Something about a ledger is not as it must be."""

    exit_code: ClassVar[int] = 5


class NotALedger(LedgerError):
    """The file is missing, or is something else."""

    exit_code = 3

    def __init__(self, path: Path, because: str) -> None:
        super().__init__(
            f"{path} is not a ledger: {because}. Name the ledger.db in the folder of a run."
        )


class LedgerTooNew(LedgerError):
    """The file was written by a later version of this program."""

    exit_code = 3

    def __init__(self, path: Path, found: int, known: int) -> None:
        super().__init__(
            f"{path} has storage format {found}; this program knows formats up to {known}."
            " Nothing was read or changed. Install the version of amid-runtime that wrote it."
        )


class LedgerExists(LedgerError):
    """A new ledger was asked for where one stands."""

    exit_code = 2

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} exists already and a ledger is never overwritten."
            " Open it to go on with it, or name another folder."
        )


class SqliteTooOld(LedgerError):
    """The SQLite library has a known defect, or is missing."""

    exit_code = 3

    def __init__(self, found: str, needed: str) -> None:
        super().__init__(
            f"The SQLite library here is {found}; {needed} or later is needed, because earlier"
            " ones can damage a write-ahead log (the WAL-reset defect). Install it with:"
            " pip install 'pysqlite3>=0.6.1'"
        )


class CannotWrite(LedgerError):
    """No permission, or a read-only file system."""

    exit_code = 3

    def __init__(self, path: Path, because: str) -> None:
        super().__init__(
            f"{path} cannot be written: {because}. Nothing more was acknowledged, and what was is"
            " safe. Make room or give this user the right to write there, then go on."
        )


class DiskFull(CannotWrite):
    """No space is left where the run lies."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "no space is left on its disk")


class CannotRead(LedgerError):
    """No permission, or the disk does not answer."""

    exit_code = 3

    def __init__(self, path: Path, because: str) -> None:
        super().__init__(
            f"{path} cannot be read: {because}. So nothing is known of what it holds. Give this"
            " user the right to read it, look at the disk, and ask again."
        )


class LedgerDamaged(LedgerError):
    """The file is not whole."""

    exit_code = 1

    def __init__(self, path: Path, because: str) -> None:
        super().__init__(
            f"{path} is damaged: {because}. It is not repaired and nothing is appended to it."
            " Keep it as it is, run `amid verify` for the whole list, and start another run."
        )


class ChainBroken(LedgerDamaged):
    """A stored event is not what its hash says."""

    def __init__(self, path: Path, seq: int, because: str) -> None:
        self.seq = seq
        super().__init__(path, f"event {seq}: {because}")


class LedgerBehind(LedgerDamaged):
    """The ledger was cut, or an older copy of it was put back."""

    def __init__(self, path: Path, because: str) -> None:
        LedgerError.__init__(
            self,
            f"{path} was cut, or an older copy of it was put back: {because}. Going on would write"
            " another history over what the folder holds, so nothing was changed. Put the newer"
            " file back, or keep the folder as it is and start another run.",
        )


class HeadMoved(LedgerError):
    """Somebody appended since the decision was made."""

    def __init__(self, expected: int, found: int) -> None:
        self.expected, self.found = expected, found
        super().__init__(
            f"The events were decided on top of event {expected}, but the last event is {found}."
            " Nothing was appended. Read the new events and decide again."
        )


class CommandReused(LedgerError):
    """One command id came with two contents."""

    def __init__(self, cmd: str, seq: int | None) -> None:
        self.cmd = cmd
        self.seq = seq
        where = "in the same batch" if seq is None else f"as event {seq}"
        super().__init__(
            f"Command {cmd} is recorded already {where}, with another type, version or body."
            " Nothing was appended. A command id names one content for ever: give the new"
            " content another id."
        )


class FenceViolation(LedgerError):
    """A value lies outside what an event body may hold."""

    def __init__(self, where: str, because: str) -> None:
        self.where = where
        super().__init__(
            f"{where} cannot stand in an event body: {because}. Bodies are kept to a part of JSON"
            " that every reader writes with the same bytes."
        )


class WriterBusy(LedgerError):
    """Another process holds the run."""

    exit_code = 4

    def __init__(self, lock: Path, host: str, pid: int, since: str) -> None:
        self.host, self.pid, self.since = host, pid, since
        super().__init__(
            f"{lock.parent} is being written by process {pid} on {host} since {since}."
            " One process at a time may append. Wait for it or stop it; the lock goes with the"
            " process, so the file need not be removed."
        )


class TermLost(LedgerError):
    """Another process wrote although this one held the run."""

    exit_code = 4

    def __init__(self, path: Path, ours: int, theirs: int) -> None:
        super().__init__(
            f"{path} was written by another process: this one stood at event {ours}, the file"
            f" stands at event {theirs}. Nothing was appended. Make sure that only one process"
            " has the run, then `amid resume`."
        )


class LedgerUnsettled(LedgerError):
    """The file changed while it was read."""

    exit_code = 4

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} was written to while it was being read, so what was read may not be one"
            " state of it. Try again, or pause the run first."
        )


class LedgerClosed(LedgerError):
    """Used after close."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} was closed by this process; open it again to go on.")


class AppendFailed(LedgerError):
    """The append did not happen, for a reason of the machine."""

    def __init__(self, path: Path, because: str) -> None:
        super().__init__(
            f"{path}: the append failed ({because}). The file was opened again and the events are"
            " not in it. Look at the disk and its logs, then `amid resume`."
        )


class AppendInDoubt(AppendFailed):
    """An append failed, and nobody can say yet whether it happened."""

    def __init__(self, path: Path, because: str) -> None:
        LedgerError.__init__(
            self,
            f"{path}: the append failed ({because}), and the file could not be opened again, so it"
            " is not known whether the events are in it. The next append or `amid resume` finds"
            " out by their command ids. Look at the disk and its logs first.",
        )


class BadDigest(LedgerError):
    """A digest is not 64 lowercase hex characters."""

    def __init__(self, digest: str) -> None:
        super().__init__(
            f"{digest!r} is not the digest of a blob: 64 lowercase hex characters are."
        )


class BlobMissing(LedgerError):
    """A named blob is not in the store."""

    exit_code = 3

    def __init__(self, digest: str, path: Path) -> None:
        self.digest = digest
        super().__init__(
            f"Blob {digest} is missing: there is no {path}. An event may rest on it. Put the file"
            " back from a copy of the run; its name says whether it is the right one."
        )


class BlobChanged(LedgerError):
    """A blob's bytes are not what its name says."""

    exit_code = 1

    def __init__(self, digest: str, path: Path, found: str) -> None:
        self.digest = digest
        self.found = found
        super().__init__(
            f"Blob {digest} was changed: the bytes of {path} have digest {found}. Whatever rests"
            " on it is not evidence any more. Put the file back from a copy of the run."
        )


class NotAFile(LedgerError):
    """Only regular files become blobs."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(
            f"{path} cannot become a blob: it is {what}, and only regular files are followed or"
            " copied, so that nothing outside the folder slips in."
        )
