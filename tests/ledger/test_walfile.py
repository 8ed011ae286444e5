"""SQLite's write-ahead log, read by ourselves because SQLite hides damage in it."""

import random
import shutil
from pathlib import Path

import pytest
from pysqlite3 import dbapi2

from ledger.walfile import WalState, inspect
from tests.ledger.making import holding, said

PAGE = 4096 + 24


@pytest.fixture
def wal(tmp_path: Path) -> Path:
    """Return the log of a ledger that was killed, beside its file."""
    left = tmp_path / "left"
    left.mkdir()
    with holding(tmp_path / "run", [said("one")]) as ledger:
        for number in range(10):
            ledger.append([said(f"{number} " + "x" * 3000)])

        for name in ("ledger.db", "ledger.db-wal"):
            shutil.copy(ledger.path.parent / name, left)

    return left / "ledger.db-wal"


def events(wal: Path) -> int:
    connection = dbapi2.connect(str(wal.with_name("ledger.db")))
    (count,) = connection.execute("SELECT count(*) FROM events").fetchone()
    connection.close()
    return int(count)


def test_no_log_and_an_empty_one_hold_nothing(tmp_path: Path) -> None:
    assert inspect(tmp_path / "absent") == WalState(0, 0, None)
    (tmp_path / "empty").touch()
    assert inspect(tmp_path / "empty") == WalState(0, 0, None)


def test_a_whole_log_adds_up(wal: Path) -> None:
    state = inspect(wal)
    assert state.frames == state.committed == (wal.stat().st_size - 32) // PAGE
    assert state.damage is None
    assert events(wal) == 12


def test_every_changed_byte_is_noticed_where_sqlite_is_silent(wal: Path, tmp_path: Path) -> None:
    dice = random.Random(5)
    whole = wal.read_bytes()
    frames = (len(whole) - 32) // PAGE
    last = 32 + (frames - 1) * PAGE
    places = [
        *range(32),
        *(32 + frame * PAGE + dice.randrange(24) for frame in range(frames)),
        *(last + offset for offset in range(24)),
        *(last + dice.randrange(PAGE) for _ in range(10)),
        *(dice.randrange(len(whole)) for _ in range(30)),
    ]

    for place in places:
        content = bytearray(whole)
        content[place] ^= 1 << dice.randrange(8)
        wal.write_bytes(content)
        assert inspect(wal).damage is not None, place

    content = bytearray(whole)
    content[32 + 5 * PAGE + 100] ^= 1
    wal.write_bytes(content)
    assert events(wal) < 12  # and not a word from SQLite


def test_a_log_cut_inside_a_frame_is_noticed(wal: Path) -> None:
    whole = wal.read_bytes()
    for size in (10, 40, len(whole) - 1, len(whole) - PAGE + 1):
        wal.write_bytes(whole[:size])
        assert inspect(wal).damage is not None


def test_a_log_cut_between_frames_cannot_be_seen(wal: Path) -> None:
    whole = wal.read_bytes()
    wal.write_bytes(whole[:-PAGE])
    assert inspect(wal).damage is None


def test_frames_of_an_earlier_use_are_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "plain.db"
    connection = dbapi2.connect(str(path), isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE t(x)")
    for _ in range(20):
        connection.execute("INSERT INTO t VALUES (zeroblob(3000))")

    connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
    connection.execute("INSERT INTO t VALUES (1)")
    state = inspect(path.with_name("plain.db-wal"))
    connection.close()

    assert state.damage is None
    assert 0 < state.committed < 20
