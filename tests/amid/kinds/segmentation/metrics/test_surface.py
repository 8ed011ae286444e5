"""Distances against other implementations, on random and on real masks."""

import warnings
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from amid.kinds.segmentation.metrics import surface
from amid.kinds.segmentation.metrics.case import score_case
from amid.kinds.segmentation.metrics.registry import ROUNDING
from tests.amid.kinds.segmentation.metrics.masks import Mask, blob_pair, moved, real_mask
from tests.amid.world import shared_data

SPACINGS = ((1.0, 1.0, 1.0), (2.5, 0.8, 0.7))
METRICS = ("dice", "hd95", "hd95.surfel", "nsd@1mm", "nsd@2.5mm")
Pairs = list[tuple[Mask, Mask, tuple[float, ...]]]


def measure(
    reference: Mask, prediction: Mask, spacing: tuple[float, ...]
) -> dict[str, float | None]:
    return score_case(
        reference.astype(np.uint8),
        prediction.astype(np.uint8),
        spacing=spacing,
        foreground={"x": 1},
        metrics=METRICS,
        empty="one-if-both-empty",
    )


def random_pairs() -> Pairs:
    shapes = ((9, 14, 12), (20, 24, 22))
    return [(*blob_pair(i, shape), s) for i, shape in enumerate(shapes) for s in SPACINGS]


def hippocampus() -> Pairs:
    paths = sorted((shared_data("hippocampus") / "labels").glob("*.nii*"))[:2]
    masks = [real_mask(path, label) for path in paths for label in (1, 2)]
    return [(mask, moved(mask, 1, 2), spacing) for mask, spacing in masks]


def lesions() -> Pairs:
    paths = sorted(shared_data("picai_eval_maps").glob("*_label.nii.gz"))[:4]
    masks = [real_mask(path) for path in paths]
    return [(mask, moved(mask, 2, 3), spacing) for mask, spacing in masks if mask.any()]


def spleen() -> Pairs:
    folder = shared_data("msd_spleen2_crop")
    mask, spacing = real_mask(folder / "sub-spleen2_ct_seg-manual.nii.gz")
    return [(mask, moved(mask, 0, 1), spacing)]


SOURCES = (random_pairs, hippocampus, lesions, spleen)


@pytest.fixture(scope="module")
def published() -> ModuleType:
    module: ModuleType = pytest.importorskip("surface_distance")
    return module


@pytest.mark.parametrize("source", SOURCES)
def test_surfels_are_those_of_surface_distance(
    published: ModuleType, source: Callable[[], Pairs]
) -> None:
    for reference, prediction, spacing in source():
        found = measure(reference, prediction, spacing)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it calls deprecated names of scipy
            theirs = published.compute_surface_distances(reference, prediction, spacing)

        dice = published.compute_dice_coefficient(reference, prediction)
        nsd = published.compute_surface_dice_at_tolerance
        assert found["dice"] == dice
        assert found["hd95.surfel"] == pytest.approx(
            published.compute_robust_hausdorff(theirs, 95), abs=1e-12
        )
        assert found["nsd@1mm"] == pytest.approx(nsd(theirs, 1.0 + ROUNDING), abs=1e-12)
        assert found["nsd@2.5mm"] == pytest.approx(nsd(theirs, 2.5 + ROUNDING), abs=1e-12)


@pytest.mark.parametrize("source", SOURCES)
def test_hd95_is_that_of_distance_maps_over_the_whole_image(
    source: Callable[[], Pairs],
) -> None:
    from scipy import ndimage

    def directed(one: Mask, two: Mask, spacing: tuple[float, ...]) -> float:
        edges = [mask ^ ndimage.binary_erosion(mask) for mask in (one, two)]
        far = ndimage.distance_transform_edt(~edges[1], sampling=spacing)
        return float(np.percentile(far[edges[0]], 95))

    for reference, prediction, spacing in source():
        both = (reference, prediction), (prediction, reference)
        wanted = max(directed(*pair, spacing) for pair in both)
        assert measure(reference, prediction, spacing)["hd95"] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.timeout(300)
@pytest.mark.slow  # importing MONAI alone takes ten seconds
@pytest.mark.parametrize("source", SOURCES)
def test_hd95_is_that_of_monai(source: Callable[[], Pairs]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        from monai.metrics.hausdorff_distance import compute_hausdorff_distance

    for reference, prediction, spacing in source():
        one, two = (torch.from_numpy(m)[None, None] for m in (prediction, reference))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = compute_hausdorff_distance(
                one, two, include_background=True, percentile=95, spacing=list(spacing)
            )

        assert measure(reference, prediction, spacing)["hd95"] == pytest.approx(
            float(theirs), rel=1e-5
        )


@pytest.mark.parametrize("pairs", [0, 10**9])
def test_both_ways_to_find_distances_agree(pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    small = random_pairs()[: len(SPACINGS)]
    plain = [measure(*one) for one in small]
    monkeypatch.setattr(surface, "PAIRS", pairs)
    for one, before in zip(small, plain, strict=True):
        assert measure(*one) == pytest.approx(before, abs=1e-12)


def test_two_dimensions_work_as_in_surface_distance(published: ModuleType) -> None:
    reference, prediction = blob_pair(3, (30, 40))
    found = measure(reference, prediction, (0.5, 2.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = published.compute_surface_distances(reference, prediction, (0.5, 2.0))

    assert found["hd95.surfel"] == pytest.approx(
        published.compute_robust_hausdorff(theirs, 95), abs=1e-12
    )


def test_spacing_belongs_to_its_axis() -> None:
    reference = np.zeros((9, 9, 9), bool)
    reference[2, 2, 2] = True
    prediction = np.zeros((9, 9, 9), bool)
    prediction[6, 2, 2] = True
    assert measure(reference, prediction, (3.0, 1.0, 1.0))["hd95"] == 12.0
    assert measure(reference, prediction, (1.0, 1.0, 3.0))["hd95"] == 4.0


def test_the_arrays_edge_is_a_border() -> None:
    assert surface.borders(np.ones((3, 3, 3), bool)).sum() == 26
