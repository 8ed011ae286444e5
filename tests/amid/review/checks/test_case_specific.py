from dataclasses import replace

from amid.review.checks.case_specific import check
from amid.review.checks.evidence import ImageHash
from tests.amid.review.checks.attempts import HONEST, with_first

SAME = replace(
    HONEST,
    predictions=tuple(
        replace(p, payload="one mask") if p.part == "validation" else p for p in HONEST.predictions
    ),
)


def test_bars_until_settled_one_mask_for_three_images() -> None:
    found = check(SAME)
    assert (found.outcome, found.code) == ("flag", "STAT_NOT_CASE_SPECIFIC")
    assert "f1/c-0001, f1/c-0002, f1/c-0003" in found.says


def test_bars_until_settled_masks_that_are_nearly_one() -> None:
    nearly = tuple(replace(p, coarse="one mask") for p in HONEST.predictions)
    assert check(replace(HONEST, predictions=nearly)).outcome == "flag"


def test_passes_with_a_note_a_fallback_for_two_hard_cases() -> None:
    found = check(with_first(payload="payload of f1/c-0002"))
    assert (found.outcome, found.code) == ("note", "OK_NOTE")
    assert "f1/c-0001, f1/c-0002" in found.says


def test_passes_different_masks() -> None:
    assert check(HONEST).outcome == "pass"


def test_passes_empty_masks() -> None:
    empty = tuple(replace(p, foreground=0) for p in SAME.predictions)
    assert check(replace(SAME, predictions=empty)).outcome == "pass"


def test_passes_one_mask_for_one_image_under_two_ids() -> None:
    images = tuple(ImageHash(i.case, i.channel, "the same") for i in SAME.images)
    assert check(replace(SAME, images=images)).outcome == "pass"


def test_passes_two_folds_that_agree_on_an_inner_case() -> None:
    predictions = tuple(
        replace(p, payload="agreed") if p.part == "inner" else p for p in HONEST.predictions
    )
    assert check(replace(HONEST, predictions=predictions)).outcome == "pass"


def test_passes_one_mask_for_three_visits_of_a_patient() -> None:
    groups = dict.fromkeys(SAME.split.group_of, "g-0001")
    assert check(replace(SAME, split=replace(SAME.split, group_of=groups))).outcome == "pass"


def test_passes_one_mask_where_the_labels_are_equal_too() -> None:
    predictions = tuple(replace(p, reference="same label") for p in SAME.predictions)
    assert check(replace(SAME, predictions=predictions)).outcome == "pass"
