"""One made-up run and its package, shared by the tests that only read them."""

from pathlib import Path

import pytest

from amid.package.build import build
from amid.package.bundle import export
from replay.package import unzip
from tests.amid.package.sample_package import shared, shared_finished
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


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run that has its package; do not write to it."""
    return shared_finished(tmp_path_factory.getbasetemp())


@pytest.fixture(scope="session")
def exported(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unpacked package of a finished run, its last events included; copy it first."""
    place = tmp_path_factory.mktemp("exported")
    content = unzip(export(finished, place / "p.zip").path.read_bytes())
    for path, data in content.items():
        (place / "p" / path).parent.mkdir(parents=True, exist_ok=True)
        (place / "p" / path).write_bytes(data)

    return place / "p"
