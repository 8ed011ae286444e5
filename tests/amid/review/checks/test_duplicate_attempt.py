from dataclasses import replace

from amid.review.checks.duplicate_attempt import check
from amid.review.checks.evidence import Earlier
from tests.amid.review.checks.attempts import HONEST


def test_bars_until_settled_another_lanes_predictions() -> None:
    found = check(replace(HONEST, earlier=(Earlier("a-0", "network", "root"),)))
    assert (found.outcome, found.code) == ("flag", "DUP_SUBMISSION_PAYLOAD")


def test_passes_other_predictions() -> None:
    found = check(replace(HONEST, earlier=(Earlier("a-0", "network", "other"),)))
    assert found.outcome == "pass"
    assert found.evidence[0].says == "root"


def test_passes_with_a_note_a_change_without_effect() -> None:
    assert check(replace(HONEST, earlier=(Earlier("a-0", "prior", "root"),))).outcome == "note"


def test_passes_itself_when_reviewed_again() -> None:
    assert check(replace(HONEST, earlier=(Earlier("a-1", "x", "root"),))).outcome == "pass"


def test_says_when_it_cannot_look() -> None:
    assert check(replace(HONEST, earlier=None)).outcome == "unchecked"
