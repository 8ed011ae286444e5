"""Fixtures of the tests that run real jobs."""

import pytest

from tests.runtime.job_places import SHUT_IN, Place


@pytest.fixture(params=SHUT_IN)
def each_kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shut every job of the test in by each kind of sandbox in turn."""
    monkeypatch.setattr(Place, "kind", request.param)
