import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from amid.kinds.segmentation.metrics.overlap import dice_of, joint_histogram

ARRAYS = st.tuples(
    hnp.arrays(np.int16, (3, 4, 5), elements=st.integers(-2, 9)),
    hnp.arrays(np.int16, (3, 4, 5), elements=st.integers(-2, 9)),
)


@settings(deadline=None)
@given(ARRAYS)
def test_histogram_counts_what_a_loop_counts(arrays: tuple[np.ndarray, np.ndarray]) -> None:
    reference, prediction = arrays
    labels = [1, 2, 4]
    joint = joint_histogram(reference, prediction, labels)
    assert joint.sum() == reference.size
    for i, one in enumerate(labels):
        for j, two in enumerate(labels):
            assert joint[i, j] == np.sum((reference == one) & (prediction == two))


@settings(deadline=None)
@given(ARRAYS)
def test_dice_is_symmetric_and_between_zero_and_one(
    arrays: tuple[np.ndarray, np.ndarray],
) -> None:
    reference, prediction = arrays
    if not (reference == 1).any():
        return

    there = dice_of(joint_histogram(reference, prediction, [1]), 0)
    back = dice_of(joint_histogram(prediction, reference, [1]), 0)
    assert there == back
    assert 0 <= there <= 1


def test_labels_beyond_any_table_are_counted_too() -> None:
    reference = np.array([0, 70_000, 70_000, -5])
    prediction = np.array([70_000, 70_000, 0, -5])
    joint = joint_histogram(reference, prediction, [70_000, -5])
    assert joint.tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 0]]


def test_unsigned_bytes_do_not_wrap() -> None:
    reference = np.array([255, 1, 254], dtype=np.uint8)
    assert joint_histogram(reference, reference, [1, 255]).tolist() == [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
    ]


def test_other_shape_is_refused_with_what_to_do() -> None:
    with pytest.raises(ValueError, match="align the prediction"):
        joint_histogram(np.zeros((2, 3), int), np.zeros((3, 2), int), [1])
