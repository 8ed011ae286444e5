"""Conventions: what an empty mask counts, and that no NaN gets out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from amid.kinds.segmentation.metrics import METRICS, metric, score_case

EMPTY = np.zeros((4, 5, 6), dtype=np.uint8)
ONE = EMPTY.copy()
ONE[1:3, 1:3, 1:3] = 1
SPACING = (3.0, 1.0, 2.0)
DIAGONAL = math.sqrt((4 * 3) ** 2 + 5**2 + (6 * 2) ** 2)
ALL = (*METRICS, "nsd@1mm")


def values(
    reference: np.ndarray, prediction: np.ndarray, empty: str = "one-if-both-empty"
) -> dict[str, float | None]:
    return score_case(
        reference,
        prediction,
        spacing=SPACING,
        foreground={"a": 1, "b": 2},
        metrics=ALL,
        empty=empty,
    )


def test_perfect_is_perfect_in_every_metric() -> None:
    found = values(ONE, ONE)
    assert [found[f"{m}:a"] for m in ALL] == [1.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(("reference", "prediction"), [(ONE, EMPTY), (EMPTY, ONE)])
def test_one_side_empty_is_the_worst_value(reference: np.ndarray, prediction: np.ndarray) -> None:
    found = values(reference, prediction)
    assert [found[f"{m}:a"] for m in ALL] == [0.0, DIAGONAL, DIAGONAL, 0.0]


def test_both_empty_counts_one_by_default() -> None:
    found = values(ONE, ONE)
    assert found["dice:b"] == 1.0
    assert found["hd95:b"] == 0.0
    assert found["dice"] == 1.0


@pytest.mark.parametrize("empty", ["nan-if-both-empty", "skip"])
def test_both_empty_is_left_out_where_the_contract_says_so(empty: str) -> None:
    half = ONE.copy()
    half[1] = 0
    found = values(ONE, half, empty)
    assert found["dice:b"] is None
    assert found["dice"] == found["dice:a"] == pytest.approx(2 / 3)
    assert values(EMPTY, EMPTY, empty)["dice"] is None


def test_the_case_value_is_the_mean_over_labels() -> None:
    both = ONE.copy()
    both[3] = 2
    found = values(both, ONE)
    assert found["dice"] == 0.5
    assert found["hd95"] == DIAGONAL / 2


LABELS = hnp.arrays(np.uint8, (3, 4, 4), elements=st.integers(0, 3))


@settings(max_examples=60, deadline=None)
@given(LABELS, LABELS, st.sampled_from(["one-if-both-empty", "skip"]))
def test_no_nan_or_infinity_ever_gets_out(
    reference: np.ndarray, prediction: np.ndarray, empty: str
) -> None:
    for value in values(reference, prediction, empty).values():
        assert value is None or math.isfinite(value)


@settings(max_examples=30, deadline=None)
@given(LABELS, LABELS)
def test_mirroring_both_changes_no_overlap(reference: np.ndarray, prediction: np.ndarray) -> None:
    one = values(reference, prediction)
    two = values(reference[:, ::-1], prediction[:, ::-1])
    assert one["dice"] == two["dice"]
    assert one["hd95"] == pytest.approx(two["hd95"])


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="nsd@<mm>mm"):
        metric("dise")

    for bad in ("nsd@0mm", "nsd@mm", "nsd@1cm", "nsd@-1mm"):
        with pytest.raises(KeyError):
            metric(bad)

    with pytest.raises(ValueError, match="one-if-both-empty"):
        values(ONE, ONE, "zero")


def test_the_documentation_names_every_metric_and_convention() -> None:
    from pathlib import Path

    from amid.kinds.segmentation.metrics import AVERAGE
    from amid.kinds.segmentation.metrics import EMPTY as CONVENTIONS

    text = (Path(__file__).parents[5] / "docs/reference/metrics.md").read_text()
    for name in (*METRICS, "nsd@", *CONVENTIONS, *AVERAGE):
        assert f"`{name}" in text
