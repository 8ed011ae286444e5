"""Who takes part in the simulated cohort, and how they are bent and scanned."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amid.data.split import HOLDOUT_GROUPS
from amid.demo.anatomy import deformed
from amid.demo.fields import generator, smooth
from amid.demo.roster import SMALL, WHOLE, Size, visits
from amid.demo.scanner import SCANNERS, scan


@pytest.mark.parametrize("size", [WHOLE, SMALL])
def test_every_site_has_as_many_patients_as_any_other(size: Size) -> None:
    for split in ("train", "test"):
        patients = {visit.patient: visit.site for visit in visits(size) if visit.split == split}

        assert len(set(Counter(patients.values()).values())) == 1


def test_there_are_enough_patients_for_one_holdout_set() -> None:
    assert WHOLE.learn >= HOLDOUT_GROUPS


def test_two_visits_are_at_one_site_and_a_year_apart() -> None:
    for later in visits(WHOLE):
        if later.number == 2:
            first = next(visit for visit in visits(WHOLE) if visit.patient == later.patient)

            assert (first.site, first.split, later.split) == (later.site, "train", "train")
            assert (later.day - first.day).days == 364


@given(st.integers(0, 2**32))
def test_a_deformation_does_not_fold(seed: int) -> None:
    """Tissue may be squeezed and stretched, never turned inside out."""
    for visit in list(visits(SMALL))[:2]:
        where = deformed(SMALL, visit, seed)
        slopes = np.stack([np.stack(np.gradient(axis, SMALL.spacing)) for axis in where])
        volumes = np.linalg.det(np.moveaxis(slopes.reshape(3, 3, -1), -1, 0))

        assert 0.1 < volumes.min()
        assert volumes.max() < 4


def test_visits_of_one_patient_differ_less_than_patients() -> None:
    first, second, other = [deformed(SMALL, visit, 0) for visit in list(visits(SMALL))[:3]]

    assert np.abs(first - second).mean() < 0.3 * np.abs(first - other).mean()


def test_a_smooth_field_is_the_same_for_the_same_key() -> None:
    one, two, other = (smooth(generator(*key), SMALL, 40.0) for key in ((1, 2), (1, 2), (1, 3)))

    assert (one == two).all()
    assert (one != other).any()


def test_each_visit_has_noise_of_its_own_and_each_site_its_scale() -> None:
    tissue = np.full(SMALL.voxels, 0.8, dtype=np.float32)
    found = {visit: scan(tissue, SMALL, visit, 0) for visit in visits(SMALL)}
    first, second = list(found.values())[:2]
    means = [
        np.mean([image.mean() for visit, image in found.items() if visit.site == site])
        for site in range(len(SCANNERS))
    ]

    assert (first != second).mean() > 0.9
    assert means[1] < 0.7 * means[0] < 0.7 * means[2]
