"""A made-up run with its package, for the tests of rebuild and reproduce."""

import shutil
from pathlib import Path

import pytest

from tests.amid.package.sample_package import shared_finished


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished run; do not write to it."""
    return shared_finished(tmp_path_factory.getbasetemp())


@pytest.fixture
def bare(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the run that has its ledger and its blobs and nothing else."""
    run = tmp_path / "bare"
    run.mkdir()
    shutil.copy(made / "ledger.db", run / "ledger.db")
    shutil.copytree(made / "blobs", run / "blobs")
    return run
