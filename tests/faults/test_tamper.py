"""The tests of the verifier on a whole real run instead of a small made-up one."""

import shutil
from pathlib import Path

import pytest

from tests.replay import test_verify as small

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600)]


@pytest.fixture
def run(quiet: tuple[Path, float], tmp_path: Path) -> Path:
    """A copy of ledger and blobs of a finished run, free to be spoiled."""
    place = tmp_path / "run"
    place.mkdir()
    shutil.copy(quiet[0] / "ledger.db", place)
    shutil.copytree(quiet[0] / "blobs", place / "blobs")
    return place


def test_every_column_of_every_row_of_a_run_is_guarded(run: Path) -> None:
    """Given any column of any row changed, then verify names that row."""
    small.test_every_column_of_every_row_is_guarded(run)


def test_a_thousand_changed_blob_bytes_of_a_run_are_each_refused_by_name(run: Path) -> None:
    """Given one bit of any blob changed, then verify names that blob."""
    small.test_a_thousand_changed_blob_bytes_are_each_refused_by_name(run)
