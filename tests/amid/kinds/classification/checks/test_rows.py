from dataclasses import replace

from amid.kinds.classification.checks.rows import check
from amid.review.checks.evidence import Extra
from tests.amid.kinds.classification.checks.answers import HONEST, with_first


def test_bars_an_absent_row_by_name() -> None:
    found = check(with_first(status="missing", reason="there is no predictions.csv"))
    assert (found.outcome, found.code) == ("reject", "PRED_MISSING")
    assert "f1/c-0001" in found.says


def test_passes_a_row_for_every_case() -> None:
    assert check(HONEST).outcome == "pass"


def test_passes_with_a_note_on_what_else_is_there() -> None:
    found = check(replace(HONEST, extras=(Extra("f1", "README", "file"),)))
    assert (found.outcome, found.code) == ("note", "OK_NOTE")
