from dataclasses import replace

import pytest

from amid.review.checks.completeness import check
from amid.review.checks.evidence import Extra
from tests.amid.review.checks.attempts import HONEST, with_first


def test_bars_a_missing_prediction() -> None:
    found = check(with_first(status="missing", dims=(), grid=None))
    assert (found.outcome, found.code) == ("reject", "PRED_MISSING")
    assert "f1/c-0001" in found.says


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("C-0001.nii.gz", "PRED_NAME_COLLISION"),
        ("\uff43-0001.nii.gz", "OK_NOTE"),  # a wide letter is another letter
        ("c-0001.mha", "CASE_DUPLICATED"),
        ("c-0001.NII", "CASE_DUPLICATED"),
    ],
)
def test_bars_a_second_file_for_a_case(name: str, code: str) -> None:
    found = check(replace(HONEST, extras=(Extra("f1", name, "file"),)))
    assert found.code == code


def test_passes_when_each_is_there_once() -> None:
    assert check(HONEST).outcome == "pass"


def test_passes_with_a_note_when_other_files_lie_about() -> None:
    extras = (Extra("f1", "README.txt", "file"), Extra("f1", "c-0004.nii", "file"))
    found = check(replace(HONEST, extras=extras))
    assert (found.outcome, found.code) == ("note", "OK_NOTE")
