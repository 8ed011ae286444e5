import pytest

from amid.kinds.segmentation.checks.prediction_file import check
from tests.amid.review.checks.attempts import HONEST, with_first


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"status": "symlink", "dims": ()}, "PRED_SYMLINK"),
        ({"status": "not-a-file", "dims": ()}, "PRED_SYMLINK"),
        ({"status": "corrupt", "dims": ()}, "PRED_CORRUPT"),
        ({"status": "corrupt"}, "PRED_CORRUPT"),
        ({"status": "not-finite"}, "PRED_NAN"),
        ({"dims": (4, 5, 6, 1)}, "PRED_DIM"),
        ({"dims": (4, 5)}, "PRED_DIM"),
        ({"status": "not-finite", "dims": (4, 5, 6, 3)}, "PRED_DIM"),
    ],
)
def test_bars_a_broken_file(changes: dict[str, object], code: str) -> None:
    found = check(with_first(**changes))
    assert (found.outcome, found.code) == ("reject", code)


def test_passes_plain_files() -> None:
    assert check(HONEST).outcome == "pass"


def test_passes_over_a_missing_file_which_is_anothers_business() -> None:
    assert check(with_first(status="missing", dims=(), grid=None)).outcome == "pass"
