"""A commit that reports an error may have happened: what the writer makes of either case."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pysqlite3 import dbapi2

from ledger import fsck
from ledger.errors import AppendFailed, AppendInDoubt, DiskFull, LedgerDamaged
from ledger.sqlite import Connection
from ledger.store import Ledger
from tests.ledger.making import filled, holding, said
from tests.ledger.raw import raw


class Failing:
    """A connection whose COMMIT fails: before it happens, or after."""

    def __init__(self, connection: Connection, *, happens: bool, error: Exception) -> None:
        self._connection = connection
        self._happens = happens
        self._error = error

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def execute(self, statement: str, *rest: object) -> object:
        if statement != "COMMIT":
            return self._connection.execute(statement, *rest)

        if self._happens:
            self._connection.execute(statement)

        raise self._error


def io_error(code: int = 10) -> Exception:
    """Return an error as SQLite gives it when the disk does not answer."""
    error: Exception = dbapi2.OperationalError("disk I/O error")
    error.sqlite_errorcode = code  # type: ignore[attr-defined]
    return error


def break_next_commit(ledger: Ledger, *, happens: bool, code: int = 10) -> None:
    writer = ledger._writer
    writer._connection = Failing(writer._connection, happens=happens, error=io_error(code))


def test_a_failed_commit_that_happened_is_acknowledged(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        break_next_commit(ledger, happens=True)
        (record,) = ledger.append([said("one")])
        assert list(ledger.records(after=1)) == [record]
        assert ledger.append([said("two")])[0].prev == record.hash

    assert fsck.check(tmp_path).ok


def test_a_failed_commit_that_did_not_happen_is_told(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        break_next_commit(ledger, happens=False)
        with pytest.raises(AppendFailed, match="not in it") as error:
            ledger.append([said("one")])

        assert error.value.exit_code == 5
        assert ledger.head.seq == 1
        assert ledger.append([said("one")])[0].seq == 2


@pytest.mark.parametrize("happens", [True, False])
def test_a_commit_in_doubt_is_settled_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, happens: bool
) -> None:
    with holding(tmp_path) as ledger:
        break_next_commit(ledger, happens=happens)

        with monkeypatch.context() as patch:
            patch.setattr("ledger.writer._open", raising(io_error()))
            for _ in range(2):
                with pytest.raises(AppendInDoubt, match="not known"):
                    ledger.append([said("one", cmd="c-1")], expect_head=1)

        (record,) = ledger.append([said("one", cmd="c-1")], expect_head=1)
        assert record.seq == 2
        assert ledger.append([said("two")], expect_head=2)[0].seq == 3

    assert fsck.check(tmp_path).events == 3


def test_a_full_disk_at_commit_is_named(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        break_next_commit(ledger, happens=False, code=13)
        with pytest.raises(DiskFull):
            ledger.append([said("one")])


def test_a_file_that_changed_meanwhile_is_not_written_to(tmp_path: Path) -> None:
    with holding(tmp_path, [said("one"), said("two")]) as ledger:
        break_next_commit(ledger, happens=False)
        with raw(ledger.path, guards=False) as connection:
            connection.execute("UPDATE events SET at_us = 0 WHERE seq = 2")

        for _ in range(2):
            with pytest.raises(LedgerDamaged, match="event 2"):
                ledger.append([said("three")])


def test_a_defect_of_the_writer_reaches_everyone_who_waits(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        ledger._writer._connection = None
        ledger._writer._path = None  # type: ignore[assignment]
        for _ in range(2):
            with pytest.raises(AttributeError):
                ledger.append([said("one")])

        ledger._writer._path = ledger.path


def raising(error: Exception) -> Callable[..., object]:
    def fail(*_: object) -> object:
        raise error

    return fail


INJECTED = """
import sys
from pathlib import Path
from ledger.errors import LedgerError
from ledger.store import Ledger
from tests.ledger.making import said

with Ledger.open(Path(sys.argv[1])) as ledger:
    for index in range(6):
        try:
            (record,) = ledger.append([said(str(index))])
            print("yes", record.seq, record.hash.hex(), flush=True)
        except LedgerError as error:
            print("no", type(error).__name__, flush=True)
"""


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("call", ["fdatasync:error=EIO", "pwrite64:error=EIO"])
@pytest.mark.parametrize("when", [1, 2, 3, 4, 5, 6])
def test_a_call_that_fails_once_loses_and_doubles_nothing(
    tmp_path: Path, call: str, when: int
) -> None:
    path = filled(tmp_path)
    inject = f"inject={call}:when={when}"
    script = [sys.executable, "-c", INJECTED, str(path)]
    done = subprocess.run(
        ["strace", "-f", "-o", "/dev/null", "-e", inject, *script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if "ptrace" in done.stderr:
        pytest.skip(f"strace may not trace here: {done.stderr.strip()}")

    said_yes = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("yes")]
    with Ledger.open(path) as ledger:
        stored = {str(record.seq): record.hash.hex() for record in ledger.records()}

    assert all(stored[seq] == digest for seq, digest in said_yes)
    assert len({seq for seq, _ in said_yes}) == len(said_yes)
    assert fsck.check(tmp_path).ok
