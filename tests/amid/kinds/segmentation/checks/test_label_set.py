import pytest

from amid.kinds.segmentation.checks.label_set import check
from tests.amid.review.checks.attempts import HONEST, with_first


@pytest.mark.parametrize(
    "changes", [{"values": (0, 1, 3)}, {"values": (257,)}, {"values": (-1, 0)}, {"whole": False}]
)
def test_bars_values_that_are_no_label(changes: dict[str, object]) -> None:
    found = check(with_first(**changes))
    assert (found.outcome, found.code) == ("reject", "PRED_LABEL_SET")


@pytest.mark.parametrize("values", [(0,), (0, 1, 2), (2,)])
def test_passes_any_selection_of_labels(values: tuple[int, ...]) -> None:
    assert check(with_first(values=values)).outcome == "pass"


def test_passes_honest_predictions() -> None:
    assert check(HONEST).outcome == "pass"
