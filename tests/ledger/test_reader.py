"""Reading without touching: the folder is the same before and after, whatever state it is in."""

import shutil
import threading
from pathlib import Path

import pytest

from ledger.errors import LedgerTooNew, LedgerUnsettled, NotALedger
from ledger.reader import read
from ledger.store import Ledger
from ledger.walfile import inspect
from tests.ledger.making import filled, holding, said
from tests.ledger.raw import raw
from tests.ledger.seen import seen


def test_a_closed_ledger_is_read_in_place(tmp_path: Path) -> None:
    path = filled(tmp_path, "one", "two")
    before = seen(tmp_path)

    with read(path) as reader:
        assert [record.seq for record in reader.records()] == [1, 2, 3]
        assert [record.seq for record in reader.records(after=2)] == [3]
        assert reader.meta.user_version == 1

    assert seen(tmp_path) == before


def test_a_live_ledger_is_read_with_its_last_events(tmp_path: Path) -> None:
    with holding(tmp_path, [said("one")]) as ledger:
        assert inspect(tmp_path / "ledger.db-wal").committed > 0
        before = seen(tmp_path)

        with read(ledger.path) as reader:
            assert [record.seq for record in reader.records()] == [1, 2]

        assert seen(tmp_path) == before


def test_what_a_killed_writer_left_is_read(tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    with holding(tmp_path / "run", [said("one")]) as ledger:
        for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm"):
            shutil.copy(ledger.path.parent / name, left)

    before = seen(left)
    with read(left / "ledger.db") as reader:
        assert len(list(reader.records())) == 2

    assert seen(left) == before


def test_every_read_of_a_busy_ledger_is_one_state_of_it(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        done = threading.Event()

        def work() -> None:
            while not done.wait(0.005):
                ledger.append([said("x" * 1000) for _ in range(2)])

        thread = threading.Thread(target=work)
        thread.start()
        last = 0

        try:
            for _ in range(6):
                try:
                    with read(ledger.path) as reader:
                        seqs = [record.seq for record in reader.records()]
                        assert reader.wal.damage is None
                except LedgerUnsettled:
                    continue

                assert seqs == list(range(1, len(seqs) + 1))
                assert len(seqs) >= last
                last = len(seqs)
        finally:
            done.set()
            thread.join()

    assert last > 0


def test_a_file_that_changes_under_a_reader_is_noticed(tmp_path: Path) -> None:
    path = filled(tmp_path, "one")
    with read(path) as reader:
        with Ledger.open(path) as ledger:
            ledger.append([said("two")])

        with pytest.raises(LedgerUnsettled):
            list(reader.records())


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = filled(tmp_path)
    with read(path) as reader, pytest.raises(Exception, match="readonly"):
        reader.connection.execute("CREATE TABLE t(x)")


def test_what_is_not_a_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, but longer than a header" * 10)
    with raw(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE t(x)")

    for name in ("missing.db", "text", "other.db", "."):
        with pytest.raises(NotALedger):
            read(tmp_path / name)


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path)
    with raw(path) as connection:
        connection.execute("PRAGMA user_version=2")

    with pytest.raises(LedgerTooNew, match="format 2"):
        read(path)


def test_a_name_with_odd_characters_is_one_file(tmp_path: Path) -> None:
    folder = tmp_path / "a?mode=rw&b#c %41"
    path = filled(folder, "one")
    with read(path) as reader:
        assert len(list(reader.records())) == 2
