from dataclasses import replace

import pytest

from amid.review.checks.evidence import Evidence
from amid.review.checks.split_groups import check
from tests.amid.review.checks.attempts import HONEST, SPLIT


def one_patient(*cases: str) -> Evidence:
    groups = dict(SPLIT.group_of) | dict.fromkeys(cases, "g-9999")
    return replace(HONEST, split=replace(SPLIT, group_of=groups))


@pytest.mark.parametrize("other", ["c-0004", "c-0007", "c-0008"])
def test_bars_a_patient_on_two_sides(other: str) -> None:
    found = check(one_patient("c-0001", other))
    assert (found.outcome, found.code) == ("reject", "SPLIT_PATIENT_OVERLAP")


def test_passes_two_visits_on_one_side() -> None:
    assert check(one_patient("c-0001", "c-0002")).outcome == "pass"


def test_says_when_a_case_has_no_group() -> None:
    split = replace(SPLIT, group_of={"c-0001": "g-0001"})
    assert check(replace(HONEST, split=split)).outcome == "unchecked"
