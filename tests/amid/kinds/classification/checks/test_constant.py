from dataclasses import replace

from amid.kinds.classification.checks import constant
from amid.kinds.classification.checks.constant import check
from amid.review.checks.evidence import ImageHash
from tests.amid.kinds.classification.checks.answers import HONEST, with_all, with_first


def test_bars_until_settled_one_answer_for_every_image() -> None:
    found = check(with_all(payload="always"))
    assert (found.outcome, found.code) == ("flag", "STAT_NOT_CASE_SPECIFIC")
    assert "5 of 5 images" in found.says


def test_passes_two_images_with_one_answer() -> None:
    assert check(HONEST).outcome == "pass"
    assert check(with_first(payload="0.2")).outcome == "pass"


def test_passes_one_answer_for_one_image_under_many_ids() -> None:
    images = tuple(ImageHash(i.case, i.channel, "the same") for i in HONEST.images)
    assert check(replace(with_all(payload="always"), images=images)).outcome == "pass"
    assert constant.FEW > 1
