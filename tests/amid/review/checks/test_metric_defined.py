from dataclasses import replace

from amid.review.checks.evidence import Evidence, Recomputed
from amid.review.checks.metric_defined import check
from tests.amid.review.checks.attempts import HONEST


def scored(value: float | None, defined: int) -> Evidence:
    return replace(
        HONEST,
        scores=(Recomputed("validation", "dice", value, "undefined: all empty", defined, 6),),
    )


def test_bars_an_undefined_score() -> None:
    for evidence in (scored(None, 0), replace(HONEST, scores=())):
        found = check(evidence)
        assert (found.outcome, found.code) == ("reject", "SCORE_NAN")


def test_passes_a_defined_score() -> None:
    assert check(HONEST).outcome == "pass"


def test_passes_with_a_note_cases_left_out_by_convention() -> None:
    assert check(scored(0.8, 4)).outcome == "note"
