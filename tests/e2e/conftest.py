"""One undisturbed run on tiny, shared by all tests that look back on it."""

import shutil
from pathlib import Path

import pytest

from amid.demo import tiny
from tests.e2e.runs import amid


@pytest.fixture(scope="session")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny task."""
    place = tmp_path_factory.mktemp("task") / "tiny"
    tiny.make(place)
    return place


@pytest.fixture(scope="session")
def run(task: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run on the tiny task."""
    place = tmp_path_factory.mktemp("run") / "run"
    amid("run", task, "-o", place, "--seed", "7", "--cores", "2")
    return place


@pytest.fixture
def copy(run: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, so that it can be spoiled."""
    return Path(shutil.copytree(run, tmp_path / "run", symlinks=True))
