"""One made-up run and its package, shared by the tests that only read them."""

from pathlib import Path

import pytest

from amid.package.build import build
from tests.amid.package.sample_package import shared
from tests.amid.package.sample_run import FINAL, head_of


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run; do not write to it."""
    return shared(tmp_path_factory.getbasetemp())


@pytest.fixture(scope="session")
def package(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a package of it; copy it before changing it."""
    out = tmp_path_factory.mktemp("package") / "out"
    assert build(sample, FINAL, head_of(sample), out) == ()
    return out
