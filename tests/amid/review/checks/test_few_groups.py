from dataclasses import replace

import pytest

from amid.review.checks.evidence import Evidence
from amid.review.checks.few_groups import check
from tests.amid.review.checks.attempts import HONEST, SPLIT


def with_groups(n: int) -> Evidence:
    groups = {case: f"g-{i % n:04d}" for i, case in enumerate(SPLIT.development)}
    return replace(HONEST, split=replace(SPLIT, group_of=groups | {"c-0008": "g-9999"}))


@pytest.mark.parametrize(("n", "outcome"), [(1, "reject"), (2, "reject"), (3, "flag"), (4, "flag")])
def test_bars_too_few_groups(n: int, outcome: str) -> None:
    found = check(with_groups(n))
    assert (found.outcome, found.code) == (outcome, "STAT_CI_OVERLAP")


@pytest.mark.parametrize("n", [5, 7])
def test_passes_five_and_more(n: int) -> None:
    assert check(with_groups(n)).outcome == "pass"
