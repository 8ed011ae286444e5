from dataclasses import replace

import pytest

from amid.kinds.classification.checks.probabilities import check
from tests.amid.kinds.classification.checks.answers import HONEST, with_all, with_first


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"status": "corrupt", "values": (), "payload": ""}, "PRED_CORRUPT"),
        ({"status": "not-finite", "values": (), "payload": ""}, "PRED_NAN"),
        ({"twice": True}, "CASE_DUPLICATED"),
        ({"values": (-0.1, 1.1)}, "PRED_LABEL_SET"),
        ({"values": (3.2, -1.0)}, "PRED_LABEL_SET"),
        ({"values": (0.4, 0.4)}, "PRED_LABEL_SET"),
    ],
)
def test_bars_what_is_no_probability(changes: dict[str, object], code: str) -> None:
    found = check(with_first(**changes))
    assert (found.outcome, found.code) == ("reject", code)
    assert "f1/c-0001" in found.says


def test_bars_columns_in_another_order() -> None:
    found = check(with_all(columns=("ill", "healthy")))
    assert (found.outcome, found.code) == ("reject", "PRED_LABEL_SET")
    assert "healthy, ill" in found.says


def test_passes_probabilities_written_with_few_digits() -> None:
    assert check(HONEST).outcome == "pass"
    assert check(with_first(values=(0.3334, 0.6667))).outcome == "pass"


def test_passes_any_sum_where_classes_do_not_exclude_each_other() -> None:
    assert check(replace(with_first(values=(0.9, 0.9)), several=True)).outcome == "pass"
