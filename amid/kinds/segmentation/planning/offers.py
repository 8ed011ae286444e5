"""The lanes proposed for a contract and a profile, each with its eight fields in words.

Runnable lanes carry the price of one attempt. Those that do not fit are named as well, ranked down
with the reason: leaving them out would hide that they were thought of.
"""

from amid.kinds.segmentation.planning import fit, networks, words
from amid.kinds.segmentation.planning.catalogue import ATLAS_FUSION, INTENSITY_PRIOR, units
from amid.kinds.segmentation.profile import SegmentationProfile
from amid.planning.plan import Work
from amid.planning.template import Template
from runtime.ports import LaneOffer, Means


def offers(data: SegmentationProfile, ahead: Work, means: Means) -> tuple[LaneOffer, ...]:
    """Propose lanes."""
    return (
        _intensity_prior(data, ahead),
        _atlas_fusion(data, ahead),
        *networks.offers(data, ahead, means),
        networks.nnunet(data, ahead, means),
    )


def _intensity_prior(data: SegmentationProfile, ahead: Work) -> LaneOffer:
    suits = fit.intensity_prior(data)
    price = _units(INTENSITY_PRIOR, data, ahead)

    return LaneOffer(
        lane=INTENSITY_PRIOR.name,
        family=INTENSITY_PRIOR.family,
        template=INTENSITY_PRIOR.name,
        kind="executable" if suits.able else "fallback",
        priority=suits.priority if suits.able else suits.priority // 4,
        priority_because=suits.because,
        complexity=INTENSITY_PRIOR.complexity,
        units=price,
        steps=0,
        threads=1,
        hypothesis=(
            "A voxel's label follows from where it lies and from what the image looks like around "
            f"it: location prior times a local Gaussian of {_features(data)} features."
        ),
        data_conditions=(
            "Every case shows the same structures in about the same place of the image: "
            f"{words.labels(data)}, median size {words.size(data)}."
        ),
        required_resources=f"One core, under 1 GiB of memory, no GPU; {price} planned seconds.",
        preprocessing=words.preprocessing(data),
        validation_obligations=words.obligations(data, ahead),
        training_budget=words.budget(INTENSITY_PRIOR, ahead, price),
        expected_artifacts=words.artifacts("model.npz: priors, means and covariances on the grid"),
        failure_modes=(
            "Structures that move between cases, pathology that no training case shows, image "
            "crops placed otherwise than in training; intensities without contrast leave only the "
            f"prior. {words.imbalance(data)}"
        ),
    )


def _atlas_fusion(data: SegmentationProfile, ahead: Work) -> LaneOffer:
    suits = fit.atlas_fusion(data)
    price = _units(ATLAS_FUSION, data, ahead)

    return LaneOffer(
        lane=ATLAS_FUSION.name,
        family=ATLAS_FUSION.family,
        template=ATLAS_FUSION.name,
        kind="executable" if suits.able else "fallback",
        priority=suits.priority if suits.able else suits.priority // 4,
        priority_because=suits.because,
        complexity=ATLAS_FUSION.complexity,
        units=price,
        steps=0,
        threads=1,
        hypothesis=(
            "Cases that look alike are labelled alike: the training cases most similar to an image "
            "vote on its labels, patch by patch, the more the closer they look."
        ),
        data_conditions=(
            f"At least {fit.FEW_ATLASES} labelled cases ({data.cases} here) that show the same "
            f"structures in about the same place; median size {words.size(data)}."
        ),
        required_resources=f"One core, under 2 GiB of memory, no GPU; {price} planned seconds.",
        preprocessing=words.preprocessing(data),
        validation_obligations=(
            words.obligations(data, ahead)
            + " An atlas of a validation patient would vote for its own twin: groups stay apart."
        ),
        training_budget=words.budget(ATLAS_FUSION, ahead, price),
        expected_artifacts=words.artifacts("model.npz: training images and labels on the grid"),
        failure_modes=(
            "Anatomy unlike every atlas; shifts of more than three voxels of the grid; the model "
            "holds training images, so it must not leave where those may not. "
            f"{words.imbalance(data)}"
        ),
    )


def _units(template: Template, data: SegmentationProfile, ahead: Work) -> int:
    return units(template, data, fit=ahead.fit, predicted=ahead.predicted, jobs=2 * ahead.folds)


def _features(data: SegmentationProfile) -> int:
    return 3 + data.dimensions


__all__ = ["offers"]
