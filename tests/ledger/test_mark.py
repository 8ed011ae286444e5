"""The head kept beside a ledger: a cut or an older copy of the one file is told by it."""

import shutil
from pathlib import Path

import pytest

from ledger import fsck, mark
from ledger.errors import LedgerBehind, LedgerDamaged
from ledger.store import Ledger
from tests.ledger.making import filled, holding, said
from tests.ledger.raw import raw
from tests.ledger.seen import seen


def problems(folder: Path) -> set[str]:
    return {problem.code for problem in fsck.check(folder).problems}


def test_a_closed_ledger_has_its_head_beside_it(tmp_path: Path) -> None:
    with holding(tmp_path, [said("one")]) as ledger:
        head = ledger.head
        assert mark.get(tmp_path) is None

    assert mark.get(tmp_path) == head
    assert problems(tmp_path) == set()


@pytest.mark.parametrize("cut", [1, 2])
def test_a_cut_end_is_told(tmp_path: Path, cut: int) -> None:
    filled(tmp_path, "one", "two", "three")
    with raw(tmp_path / "ledger.db", guards=False) as connection:
        connection.execute("DELETE FROM events WHERE seq > ?", (4 - cut,))

    before = seen(tmp_path)
    assert problems(tmp_path) == {"ROLLED_BACK"}
    with pytest.raises(LedgerBehind, match="event 4"):
        Ledger.open(tmp_path / "ledger.db")

    assert seen(tmp_path)[str(tmp_path / "ledger.db")] == before[str(tmp_path / "ledger.db")]
    assert mark.get(tmp_path) is not None


def test_an_older_copy_that_went_on_otherwise_is_told(tmp_path: Path) -> None:
    path = filled(tmp_path, "one")
    shutil.copy(path, tmp_path / "old")
    with Ledger.open(path) as ledger:
        ledger.append([said("two")])

    kept = (tmp_path / mark.NAME).read_bytes()
    shutil.copy(tmp_path / "old", path)
    (tmp_path / mark.NAME).unlink()
    with Ledger.open(path) as ledger:
        ledger.append([said("another two")])

    (tmp_path / mark.NAME).write_bytes(kept)
    assert problems(tmp_path) == {"ROLLED_BACK"}
    with pytest.raises(LedgerBehind):
        Ledger.open(path)


def test_a_process_that_was_killed_leaves_an_older_head_and_that_is_well(tmp_path: Path) -> None:
    path = filled(tmp_path, "one")
    kept = (tmp_path / mark.NAME).read_bytes()
    with Ledger.open(path) as ledger:
        ledger.append([said("two")])

    (tmp_path / mark.NAME).write_bytes(kept)
    assert problems(tmp_path) == set()
    Ledger.open(path).close()


@pytest.mark.parametrize("content", [b"", b"3", b"0:" + b"0" * 64 + b"\n", b"x" * 10_000])
def test_a_file_that_holds_no_head_is_told(tmp_path: Path, content: bytes) -> None:
    path = filled(tmp_path, "one")
    (tmp_path / mark.NAME).write_bytes(content)
    assert problems(tmp_path) == {"HEAD_DIFFERS"}
    with pytest.raises(LedgerDamaged, match="head"):
        Ledger.open(path)
