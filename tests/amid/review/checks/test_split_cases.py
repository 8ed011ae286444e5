from dataclasses import replace

import pytest

from amid.review.checks.evidence import Sides
from amid.review.checks.split_cases import check
from tests.amid.review.checks.attempts import FIRST, HONEST, SECOND, SPLIT


@pytest.mark.parametrize(
    "split",
    [
        replace(SPLIT, folds=(Sides("f1", FIRST, FIRST),)),
        replace(SPLIT, inner=("c-0004",)),
        replace(SPLIT, test=("c-0001",)),
    ],
)
def test_bars_a_case_on_two_sides(split: object) -> None:
    found = check(replace(HONEST, split=split))  # type: ignore[arg-type]
    assert (found.outcome, found.code) == ("reject", "SPLIT_CASE_OVERLAP")


def test_passes_folds_that_take_turns() -> None:
    assert check(HONEST).outcome == "pass"
    assert SECOND == SPLIT.folds[0].fit
