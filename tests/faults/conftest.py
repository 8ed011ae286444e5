"""One task and one undisturbed run, against which the disturbed ones are held."""

import time
from pathlib import Path

import pytest

from amid.demo import tiny
from tests.e2e.runs import amid

SEED = "11"


@pytest.fixture(scope="session")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny task."""
    return tiny.make(tmp_path_factory.mktemp("task") / "tiny")


@pytest.fixture(scope="session")
def quiet(task: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """An undisturbed run, and how many seconds it took."""
    place = tmp_path_factory.mktemp("quiet") / "run"
    began = time.monotonic()
    amid("run", task, "-o", place, "--seed", SEED, "--cores", "2")
    return place, time.monotonic() - began
