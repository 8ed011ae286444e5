"""Overlays and plots: which cases, which slices, and what is drawn."""

import base64
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from amid.documents import CaseScore
from amid.kinds.segmentation.overlay import PREDICTION, REFERENCE, planes
from amid.report.cases import choose
from amid.report.plot import Dot, dots


def scored(*values: str | None) -> list[CaseScore]:
    """Return cases with these scores."""
    return [
        CaseScore(case=f"c-{place:04d}", group="g-0001", fold="f1", values={"dice": value})
        for place, value in enumerate(values, start=1)
    ]


def test_worst_median_and_best_are_chosen() -> None:
    """Of twenty cases the five worst, the middle three and the best two."""
    found = choose(scored(*(str(n) for n in range(20))), "dice", maximize=True)
    assert [(place, case.values["dice"]) for place, case in found] == [
        *(("worst", str(n)) for n in range(5)),
        *(("median", str(n)) for n in (9, 10, 11)),
        *(("best", str(n)) for n in (18, 19)),
    ]


def test_where_lower_is_better_the_largest_is_worst() -> None:
    """The direction is the contract's."""
    assert choose(scored("1", "3", "2"), "dice", maximize=False)[0][1].values["dice"] == "3"


def test_an_undefined_score_is_among_the_worst() -> None:
    """A failure must not hide behind a missing number."""
    assert choose(scored("0.1", None, "0.2"), "dice", maximize=True)[0][1].values["dice"] is None


@given(st.lists(st.sampled_from(["0", "0.5", "1", None]), max_size=30))
def test_no_case_is_shown_twice(values: list[str | None]) -> None:
    """However few or equal they are."""
    names = [case.case for _, case in choose(scored(*values), "dice", maximize=True)]
    assert len(set(names)) == len(names) == min(len(values), 10)


def pixels(uri: str) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]":
    """Return the pixels of a picture."""
    with Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2]))) as image:
        return np.asarray(image.convert("RGB"))


def test_contours_are_drawn_where_the_masks_are() -> None:
    """Reference and prediction each in its colour, through the thickest slice."""
    reference = np.zeros((20, 20, 20), dtype=np.uint8)
    reference[5:12, 4:10, 4:10] = 1
    prediction = np.zeros_like(reference)
    prediction[5:12, 4:10, 11:17] = 2
    image = np.zeros(reference.shape, dtype=np.int16)

    made = planes(image, reference, prediction, (2.0, 1.0, 1.0), (0.0, 1.0), case="c-0001")
    assert [plane.name.split()[0] for plane in made] == ["axial", "coronal", "sagittal"]
    assert int(made[0].name.split()[1]) in range(5, 12)
    axial = pixels(made[0].uri)
    half = axial.shape[1] // 2
    assert (axial[:, :half] == REFERENCE).all(axis=2).any()
    assert not (axial[:, :half] == PREDICTION).all(axis=2).any()
    assert (axial[:, half:] == PREDICTION).all(axis=2).any()


def test_superior_is_up() -> None:
    """A structure at the top of the volume is at the top of the coronal picture."""
    reference = np.zeros((40, 10, 10), dtype=np.uint8)
    reference[34:38, 3:7, 3:7] = 1
    made = planes(reference * 0, reference, reference, (1.0, 1.0, 1.0), (0.0, 1.0), case="c-0001")
    rows = np.flatnonzero((pixels(made[1].uri) == REFERENCE).all(axis=2).any(axis=1))
    assert rows.mean() < made[1].height / 2


def test_empty_masks_show_the_middle() -> None:
    """Nothing to outline is no reason for no picture."""
    nothing = np.zeros((9, 9, 9), dtype=np.uint8)
    made = planes(nothing, nothing, nothing, (1.0, 1.0, 1.0), (0.0, 0.0), case="c-0001")
    assert made[0].name == "axial 4"


def test_a_plot_tells_its_kinds_by_shape() -> None:
    """Accepted, rejected, null and open differ without colour; text is escaped."""
    kinds = ("accept", "reject", "null", "open")
    rows = [Dot(f"<{kind}>", 0.5, 0.4, 0.6, kind, "says &") for kind in kinds]
    drawn = dots(rows, metric="dice", better="higher is better")
    assert drawn.count("<circle") == 1
    assert drawn.count("<rect") == 1
    assert len(set(drawn.split("<path")[1:])) == 2
    assert "&lt;accept&gt;" in drawn
    assert "says &amp;" in drawn


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6))
def test_every_dot_lies_on_the_axis(values: list[float]) -> None:
    """Any finite values, equal ones too."""
    rows = [Dot("x", value, None, None, "accept", "x") for value in values]
    drawn = dots(rows, metric="m", better="b")
    places = [float(part.split('"')[0]) for part in drawn.split('cx="')[1:]]
    assert len(places) == len(values)
    assert all(299 <= place <= 791 for place in places)


def test_nothing_to_plot() -> None:
    """No rows, no picture."""
    assert dots([], metric="m", better="b") == ""
