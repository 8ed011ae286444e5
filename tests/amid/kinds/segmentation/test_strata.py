"""Scores by a column: a row per site."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amid.documents import Case, CaseScore, CaseScores, Inventory
from amid.kinds.segmentation.strata import by_columns
from amid.review.kind import Stratum
from ledger.events.base import real

Row = tuple[str, str, float | None]
"""Site, group, value."""


def rows(*cases: Row) -> list[Stratum]:
    """Return the rows by site of these cases."""
    known, scored = [], []
    for number, (site, group, value) in enumerate(cases):
        name = f"c-{number:04d}"
        known.append(
            Case(
                case=name, group=group, split="train", attributes={"site": site}, images=(),
                label="present", label_suffix=".nii.gz", label_commitment=None,
            )
        )  # fmt: skip
        values = {"dice": None if value is None else real(value)}
        scored.append(CaseScore(case=name, group=group, fold="f1", values=values))

    scores = CaseScores(of="a", part="validation", cases=tuple(scored))
    return list(by_columns(scores, Inventory(cases=tuple(known)), ("site",), "dice"))


def test_each_site_has_its_mean_over_cases() -> None:
    found = rows(("b", "g1", 0.5), ("a", "g2", 0.25), ("b", "g3", 0.75), ("a", "g2", 0.75))

    assert [(row.value, row.score.value, row.score.cases, row.score.groups) for row in found] == [
        ("a", "0.5", 2, 1),
        ("b", "0.625", 2, 2),
    ]


def test_one_patient_gives_no_interval_and_says_so() -> None:
    (row,) = rows(("a", "g1", 0.5), ("a", "g1", 0.6))

    assert (row.score.low, row.score.high) == (None, None)
    assert "no interval from one group" in row.score.status


def test_a_missing_score_is_never_hidden() -> None:
    partly, none = rows(("a", "g1", 0.5), ("a", "g2", None), ("b", "g3", None))

    assert partly.score.status.startswith("partial: 1 of 2 cases")
    assert (none.score.value, none.score.cases) == (None, 0)


def test_a_case_without_a_value_stands_under_its_own_name() -> None:
    assert [row.value for row in rows(("", "g1", 0.5), ("a", "g2", 0.5))] == ["(empty)", "a"]


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["g1", "g2", "g3"]), st.floats(0, 1)),
        min_size=1,
    )
)
def test_the_rows_together_are_the_whole(cases: list[Row]) -> None:
    found = rows(*cases)

    assert sum(row.score.cases for row in found) == len(cases)
    total = sum(float(row.score.value or 0) * row.score.cases for row in found)
    assert total / len(cases) == pytest.approx(sum(value or 0 for *_, value in cases) / len(cases))
    for row in found:
        low, high = row.score.low, row.score.high
        assert low is None or high is None or 0 <= float(low) <= float(high) <= 1
