"""One finished made-up run, shared by the tests of its report."""

from pathlib import Path

import pytest

from tests.amid.export.sample_package import finish
from tests.amid.export.sample_run import make


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run with a package; do not write to it."""
    place = tmp_path_factory.mktemp("report")
    run = make(place)
    finish(run, place)
    return run


@pytest.fixture(scope="session")
def text(finished: Path) -> str:
    """Return the page that stays in the run folder."""
    from amid.report.page import page

    return page(finished, inside=True)
