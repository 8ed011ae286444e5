from dataclasses import replace

from amid.review.checks.beats_nulls import check
from amid.review.checks.evidence import NullResult
from tests.amid.review.checks.attempts import HONEST


def test_bars_nothing_but_notes_a_null_that_is_as_good() -> None:
    nulls = (*(HONEST.nulls or ()), NullResult("majority", None, beaten=False))
    found = check(replace(HONEST, nulls=nulls))
    assert (found.outcome, found.code) == ("note", "OK_NOTE")
    assert "majority" in found.says


def test_passes_what_is_above_each() -> None:
    assert check(HONEST).outcome == "pass"


def test_says_when_there_is_no_null() -> None:
    assert check(replace(HONEST, nulls=None)).outcome == "unchecked"
