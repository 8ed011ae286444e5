from dataclasses import replace

import pytest

from amid.review.checks.cross_split import check
from amid.review.checks.evidence import Evidence, ImageHash
from tests.amid.review.checks.attempts import HONEST


def twins(one: str, two: str) -> Evidence:
    images = tuple(
        ImageHash(i.case, i.channel, "twin") if i.case in (one, two) else i for i in HONEST.images
    )
    return replace(HONEST, images=images)


@pytest.mark.parametrize(
    ("one", "two"),
    [("c-0001", "c-0004"), ("c-0001", "c-0008"), ("c-0007", "c-0004"), ("c-0007", "c-0008")],
)
def test_bars_one_image_on_two_sides(one: str, two: str) -> None:
    found = check(twins(one, two))
    assert (found.outcome, found.code) == ("reject", "DUP_EXACT_CROSS_SPLIT")


def test_passes_images_that_occur_once() -> None:
    assert check(HONEST).outcome == "pass"


def test_passes_with_a_note_twins_that_always_stand_together() -> None:
    assert check(twins("c-0001", "c-0002")).outcome == "note"
