from dataclasses import replace

import pytest

from amid.review.checks.evidence import Claim, Evidence
from amid.review.checks.score_claim import check
from tests.amid.review.checks.attempts import HONEST


def claiming(value: str, metric: str = "dice") -> Evidence:
    return replace(HONEST, claims=(Claim(metric, value),))


@pytest.mark.parametrize(
    "value",
    ["0.876249", "0.8722", "0.8713", "1", "nan", "Infinity", "good", "1e-400", "1e3", "9" * 99],
)
def test_bars_another_number(value: str) -> None:
    found = check(claiming(value))
    assert (found.outcome, found.code) == ("reject", "SCORE_MISMATCH")


@pytest.mark.parametrize("value", ["0.871249", "0.8712", "0.87", "0.9", "0.87124902", "0.871250"])
def test_passes_rounded_and_library_exact_claims_and_inner_scores(value: str) -> None:
    assert check(claiming(value)).outcome == "pass"


def test_passes_without_a_claim() -> None:
    assert check(HONEST).outcome == "pass"


def test_bars_until_taken_back_a_metric_that_nobody_recomputed() -> None:
    found = check(claiming("0.5", "assd"))
    assert (found.outcome, found.code) == ("flag", "METRIC_SUBSTITUTED")
    assert "assd" in found.says


def test_bars_a_claim_where_no_score_is_defined() -> None:
    undefined = tuple(replace(s, value=None, status="undefined: x") for s in HONEST.scores)
    assert check(replace(claiming("0.87"), scores=undefined)).outcome == "reject"
