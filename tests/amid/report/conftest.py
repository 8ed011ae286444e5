"""One finished made-up run, shared by the tests of its report."""

from pathlib import Path

import pytest

from tests.amid.package.sample_package import shared_finished


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run with a package; do not write to it."""
    return shared_finished(tmp_path_factory.getbasetemp())


@pytest.fixture(scope="session")
def text(finished: Path) -> str:
    """Return the page that stays in the run folder."""
    from amid.report.page import page

    return page(finished, inside=True)
