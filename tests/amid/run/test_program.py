"""What the program is, and how it is another than the one that wrote a run."""

from pathlib import Path

import pytest

from amid.run import program
from ledger.blobs import BlobStore


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "blobs")


def test_the_same_program_has_no_changes(store: BlobStore) -> None:
    now = program.code(store.put)
    assert list(program.changes(now, now, store.read)) == []


def test_each_changed_file_and_package_is_named(store: BlobStore) -> None:
    now = program.code(store.put)
    files = dict(program.source())
    files["runtime/loop.py"] = "0" * 64
    del files["amid/errors.py"]
    older = program.listing({**program.packages(), "numpy": "0.1", "gone": "1.0"})
    was = now.model_copy(
        update={
            "version": "0.0.1",
            "source": store.put(program.listing(files)),
            "lock": store.put(older),
        }
    )

    told = "\n".join(program.changes(was, now, store.read))
    assert "version: 0.0.1, now" in told
    assert "amid/errors.py is new, runtime/loop.py changed" in told
    assert "gone is gone, numpy 0.1, now" in told


def test_a_source_that_was_not_recorded_is_not_called_the_same(store: BlobStore) -> None:
    now = program.code(store.put)
    was = now.model_copy(update={"source": None})
    assert "nobody can tell" in " ".join(program.changes(was, now, store.read))


def test_a_list_that_is_gone_is_said(store: BlobStore) -> None:
    now = program.code(store.put)
    was = now.model_copy(update={"source": "0" * 64})
    assert "cannot be read any more" in " ".join(program.changes(was, now, store.read))


def test_changes_are_unknown_where_there_is_no_checkout(tmp_path: Path) -> None:
    assert program._checkout(tmp_path) == (None, None)
    (tmp_path / ".git").mkdir()
    assert program._checkout(tmp_path) == (None, None)
