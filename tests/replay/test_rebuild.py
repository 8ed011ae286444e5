"""Ledger and blobs alone give worktrees, predictions and payload again, byte for byte."""

from pathlib import Path

import pytest

from ledger.blobs import BlobStore
from ledger.events.work import AttemptSubmitted, CommitFrozen
from ledger.reader import read
from replay.history import History
from replay.rebuild import rebuild
from runtime.errors import RunExists
from tests.amid.package.sample_data import code_of
from tests.amid.package.sample_package import append
from tests.amid.package.sample_run import FINAL, MEMBERS
from tests.amid.package.test_build import files_of


def history_of(run: Path) -> History:
    """Read the events of a run."""
    with read(run / "ledger.db") as reader:
        return History.of(reader.records())


def test_everything_comes_back(made: Path, bare: Path, tmp_path: Path) -> None:
    """Payload, predictions and worktrees are those that were there."""
    answer = rebuild(bare, tmp_path / "out")

    assert (answer.ok, answer.problems) == (True, ())
    assert files_of(tmp_path / "out/package/payload") == files_of(made / "package/payload")
    for attempt in (*MEMBERS, FINAL):
        assert files_of(tmp_path / "out/worktrees" / attempt) == code_of(attempt)

    for job in history_of(made).jobs.values():
        if job.request.kind == "predict":
            where = tmp_path / "out/predictions" / job.request.subject / job.request.fold
            assert files_of(where) == files_of(made / "jobs" / job.key / "out")


def test_the_answer_counts_what_was_written(bare: Path, tmp_path: Path) -> None:
    """Files and bytes per part, and what this cannot give."""
    answer = rebuild(bare, tmp_path / "out").to_json()
    written = files_of(tmp_path / "out")

    assert answer["schema"] == "rebuild/1"
    assert answer["files"] == len(written)
    assert answer["bytes"] == sum(len(content) for content in written.values())
    assert "provenance" in str(answer["not_rebuilt"])


def test_it_changes_nothing_in_the_run(bare: Path, tmp_path: Path) -> None:
    """Read only, side files included."""
    before = files_of(bare)
    rebuild(bare, tmp_path / "out")
    assert files_of(bare) == before


def test_a_folder_in_use_is_refused(bare: Path, tmp_path: Path) -> None:
    """What lies there could be taken for what was rebuilt."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out/x").touch()
    with pytest.raises(RunExists):
        rebuild(bare, tmp_path / "out")


def test_a_missing_blob_is_named_and_the_rest_comes_out(bare: Path, tmp_path: Path) -> None:
    """One lost file does not hide the others."""
    frozen = history_of(bare).code_of(MEMBERS[0])
    assert frozen is not None
    digest = next(file.digest for file in frozen.files if file.path == "train.py")
    BlobStore(bare / "blobs").path(digest).unlink()

    answer = rebuild(bare, tmp_path / "out")
    assert not answer.ok
    assert any(p.startswith(f"worktrees/{MEMBERS[0]}/train.py") for p in answer.problems)
    assert (tmp_path / "out/worktrees" / FINAL / "predict.py").exists()


def test_a_commit_that_its_files_do_not_make_is_named(bare: Path, tmp_path: Path) -> None:
    """Git's own names are recomputed from the files, parent and message."""
    history = history_of(bare)
    frozen = history.code_of(FINAL)
    assert frozen is not None
    changed = {"commit": "1" * 40, "message": "another message"}
    forged = CommitFrozen.model_validate(frozen.model_dump() | changed)
    submitted = history.attempts[FINAL].model_dump() | {"attempt": "a-x", "commit": "1" * 40}
    append(bare, forged, AttemptSubmitted.model_validate(submitted))

    answer = rebuild(bare, tmp_path / "out")
    assert [p for p in answer.problems if p.startswith("worktrees/a-x: it makes commit")]


def test_a_run_without_a_package_says_so(sample_run: Path, tmp_path: Path) -> None:
    """That is no problem of the record."""
    answer = rebuild(sample_run, tmp_path / "out")
    assert answer.ok
    assert answer.not_rebuilt[0].startswith("package/payload: no package")


@pytest.fixture
def sample_run(bare: Path, tmp_path: Path) -> Path:
    """Return a run whose last events, package included, were never written."""
    from ledger.record import NewEvent
    from ledger.store import Ledger

    short = tmp_path / "short"
    short.mkdir()
    (short / "blobs").symlink_to(bare / "blobs")
    with read(bare / "ledger.db") as reader:
        records = [record for record in reader.records() if record.type[:3] not in ("pac",)]

    with Ledger.create(short / "ledger.db") as ledger:
        ledger.append([NewEvent(record.type, record.v, record.body) for record in records])

    return short
