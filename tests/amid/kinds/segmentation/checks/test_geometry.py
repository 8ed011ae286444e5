from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amid.data.space import Alignment, Grid, alignment, displacement
from amid.kinds.segmentation.checks.geometry import check
from tests.amid.review.checks.attempts import GRID, HONEST, with_first

REVERSED = Grid(
    GRID.size, GRID.spacing, (10.0, -3.0, 7.5 + 5 * 2.5), (1.0, 0, 0, 0, 1.0, 0, 0, 0, -1.0)
)
TURNED = Grid((6, 4, 5), (2.5, 1.0, 0.8), GRID.origin, (0, 1.0, 0, 0, 0, 1.0, 1.0, 0, 0))


@pytest.mark.parametrize(
    ("grid", "code"),
    [
        (replace(GRID, origin=(10.2, -3.0, 7.5)), "PRED_GEOMETRY"),
        (replace(GRID, spacing=(1.0, 1.0, 1.0)), "PRED_GEOMETRY"),
        (replace(GRID, origin=(0.0, 0.0, 0.0)), "PRED_GEOMETRY"),
        (replace(GRID, direction=(-1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0)), "PRED_GEOMETRY"),
        (replace(GRID, size=(4, 5, 7)), "PRED_SHAPE"),
        (replace(GRID, size=(5, 4, 6)), "PRED_SHAPE"),
    ],
)
def test_bars_another_place(grid: Grid, code: str) -> None:
    found = check(with_first(grid=grid, dims=grid.size))
    assert (found.outcome, found.code) == ("reject", code)


def test_bars_until_settled_a_header_with_two_positions() -> None:
    found = check(with_first(ambiguity=3.0))
    assert (found.outcome, found.code) == ("flag", "PRED_GEOMETRY_AMBIGUOUS")


@pytest.mark.parametrize(
    "grid",
    [
        GRID,
        replace(GRID, origin=(10.05, -3.0, 7.5)),  # rounding of a file format
        replace(GRID, spacing=(1.0, 0.8000001, 2.5)),
        REVERSED,
        TURNED,
    ],
)
def test_passes_the_same_place_however_written(grid: Grid) -> None:
    assert check(with_first(grid=grid, dims=grid.size)).outcome == "pass"


def test_passes_when_both_positions_agree() -> None:
    assert check(with_first(ambiguity=0.01)).outcome == "pass"


def test_passes_when_nothing_could_be_placed() -> None:
    nothing = replace(HONEST, predictions=())
    assert check(nothing).outcome == "pass"


def test_the_way_back_is_named() -> None:
    assert alignment(GRID, REVERSED) == Alignment((0, 1, 2), (False, False, True))
    assert alignment(GRID, TURNED) == Alignment((1, 2, 0), (False, False, False))


@settings(deadline=None)
@given(st.floats(-5, 5), st.integers(0, 2))
def test_a_shift_of_the_origin_is_measured_in_voxels(shift: float, axis: int) -> None:
    origin = list(GRID.origin)
    origin[axis] += shift
    moved = replace(GRID, origin=tuple(origin))
    assert displacement(GRID, moved) == pytest.approx(abs(shift) / GRID.spacing[axis], abs=1e-9)


def test_a_number_that_is_not_finite_lies_nowhere() -> None:
    assert displacement(GRID, replace(GRID, origin=(float("nan"), 0.0, 0.0))) == float("inf")
