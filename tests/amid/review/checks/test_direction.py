from dataclasses import replace

from amid.review.checks.direction import check
from tests.amid.review.checks.attempts import HONEST


def test_bars_the_wrong_direction() -> None:
    found = check(replace(HONEST, direction="minimize"))
    assert (found.outcome, found.code) == ("reject", "DIRECTION_WRONG")


def test_passes_the_metrics_own_direction() -> None:
    assert check(HONEST).outcome == "pass"


def test_says_when_the_metric_is_unknown() -> None:
    assert check(replace(HONEST, metric_direction=None)).outcome == "unchecked"
