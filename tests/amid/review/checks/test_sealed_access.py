from dataclasses import replace

import pytest

from amid.review.checks.sealed_access import check
from tests.amid.review.checks.attempts import HONEST, opening


@pytest.mark.parametrize("path", ["vault:labels/c-0001.nii.gz", "vault:", "data:x.nii.gz"])
def test_bars_an_opening(path: str) -> None:
    found = check(replace(HONEST, access=(*(HONEST.access or ()), opening(path))))
    assert (found.outcome, found.code) == ("reject", "SEALED_READ")
    assert found.evidence[0].ref == "b" * 64


def test_bars_until_settled_a_refused_opening_inside() -> None:
    found = check(replace(HONEST, access=(opening("vault:labels/c-0001.nii.gz", "EACCES"),)))
    assert (found.outcome, found.code) == ("flag", "SEALED_READ")


@pytest.mark.parametrize("path", ["vault:", "vault:.", "data:/"])
def test_passes_with_a_note_who_walks_past_the_door(path: str) -> None:
    found = check(replace(HONEST, access=(opening(path, "EACCES"),)))
    assert (found.outcome, found.code) == ("note", "OK_NOTE")


def test_passes_records_without_sealed_places() -> None:
    assert check(HONEST).outcome == "pass"


def test_says_when_nothing_was_recorded() -> None:
    assert check(replace(HONEST, access=None)).outcome == "unchecked"
