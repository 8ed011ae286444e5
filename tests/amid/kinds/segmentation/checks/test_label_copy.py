from dataclasses import replace

from amid.kinds.segmentation.checks.label_copy import check
from tests.amid.review.checks.attempts import HONEST, opening, with_first

EQUAL = with_first(equals_label=True)


def test_bars_a_copy_when_the_label_was_opened() -> None:
    found = check(replace(EQUAL, access=(opening("vault:labels/c-0001.nii.gz"),)))
    assert (found.outcome, found.code) == ("reject", "PRED_EQUALS_LABEL")


def test_bars_until_settled_equality_without_a_record() -> None:
    for unknown in (replace(EQUAL, access=None), replace(EQUAL, assurance="none")):
        found = check(unknown)
        assert (found.outcome, found.code) == ("flag", "PRED_EQUALS_LABEL")


def test_passes_with_a_note_a_perfect_score_on_an_easy_task() -> None:
    found = check(EQUAL)
    assert (found.outcome, found.code) == ("note", "OK_NOTE")


def test_passes_honest_predictions() -> None:
    assert check(HONEST).outcome == "pass"


def test_says_when_it_cannot_look() -> None:
    none = tuple(replace(p, equals_label=None) for p in HONEST.predictions)
    assert check(replace(HONEST, predictions=none)).outcome == "unchecked"
