"""The lanes proposed for a contract and a profile, each with its eight fields in words.

Runnable lanes carry the price of one attempt. Networks are named as well, ranked down with the
reason: leaving them out would hide that they were thought of.
"""

from collections.abc import Callable

from amid.documents import Profile
from amid.lanes import fit
from amid.lanes.catalogue import ATLAS_FUSION, AVERAGE, INTENSITY_PRIOR, Template
from amid.lanes.plan import Work, work
from runtime.ports import LaneOffer

_NOT_HERE = "networks are not executable in this version: no template, no job image with torch"


def offers(contract: bytes, profile: bytes) -> tuple[LaneOffer, ...]:
    """Propose lanes, best first; equal priorities are ordered by name."""
    data = Profile.model_validate_json(profile)
    ahead = work(contract, data)
    able: list[Callable[[Profile, Work], LaneOffer]] = [
        _intensity_prior,
        _atlas_fusion,
        _small_unet,
        _nnunet,
    ]

    return tuple(
        sorted((make(data, ahead) for make in able), key=lambda lane: (-lane.priority, lane.lane))
    )


def finalizer_units(contract: bytes, profile: bytes, *, members: int) -> int:
    """Return the price of averaging `members` attempts, over all folds and the test cases."""
    data = Profile.model_validate_json(profile)
    ahead = work(contract, data)

    return AVERAGE.units(
        fit=0,
        predicted=(ahead.predicted + ahead.folds * data.test) * members,
        jobs=ahead.folds + 1,
        voxels=data.voxels_median,
    )


def _intensity_prior(data: Profile, ahead: Work) -> LaneOffer:
    suits = fit.intensity_prior(data, ahead.kind)
    units = _units(INTENSITY_PRIOR, data, ahead)

    return LaneOffer(
        lane=INTENSITY_PRIOR.name,
        family=INTENSITY_PRIOR.family,
        template=INTENSITY_PRIOR.name,
        kind="executable" if suits.able else "fallback",
        priority=suits.priority if suits.able else suits.priority // 4,
        priority_because=suits.because,
        complexity=INTENSITY_PRIOR.complexity,
        units=units,
        hypothesis=(
            "A voxel's label follows from where it lies and from what the image looks like around "
            f"it: location prior times a local Gaussian of {_features(data)} features."
        ),
        data_conditions=(
            "Every case shows the same structures in about the same place of the image: "
            f"{_labels(data)}, median size {_size(data)}."
        ),
        required_resources=f"One core, under 1 GiB of memory, no GPU; {units} planned seconds.",
        preprocessing=_preprocessing(data),
        validation_obligations=_obligations(data, ahead),
        training_budget=_budget(INTENSITY_PRIOR, ahead, units),
        expected_artifacts=_artifacts("model.npz: priors, means and covariances on the grid"),
        failure_modes=(
            "Structures that move between cases, pathology that no training case shows, image "
            "crops placed otherwise than in training; intensities without contrast leave only the "
            f"prior. {_imbalance(data)}"
        ),
    )


def _atlas_fusion(data: Profile, ahead: Work) -> LaneOffer:
    suits = fit.atlas_fusion(data, ahead.kind)
    units = _units(ATLAS_FUSION, data, ahead)

    return LaneOffer(
        lane=ATLAS_FUSION.name,
        family=ATLAS_FUSION.family,
        template=ATLAS_FUSION.name,
        kind="executable" if suits.able else "fallback",
        priority=suits.priority if suits.able else suits.priority // 4,
        priority_because=suits.because,
        complexity=ATLAS_FUSION.complexity,
        units=units,
        hypothesis=(
            "Cases that look alike are labelled alike: the training cases most similar to an image "
            "vote on its labels, patch by patch, the more the closer they look."
        ),
        data_conditions=(
            f"At least {fit.FEW_ATLASES} labelled cases ({data.cases} here) that show the same "
            f"structures in about the same place; median size {_size(data)}."
        ),
        required_resources=f"One core, under 2 GiB of memory, no GPU; {units} planned seconds.",
        preprocessing=_preprocessing(data),
        validation_obligations=(
            _obligations(data, ahead)
            + " An atlas of a validation patient would vote for its own twin: groups stay apart."
        ),
        training_budget=_budget(ATLAS_FUSION, ahead, units),
        expected_artifacts=_artifacts("model.npz: training images and labels on the grid"),
        failure_modes=(
            "Anatomy unlike every atlas; shifts of more than three voxels of the grid; the model "
            "holds training images, so it must not leave where those may not. "
            f"{_imbalance(data)}"
        ),
    )


def _small_unet(data: Profile, ahead: Work) -> LaneOffer:
    return _network(
        data,
        ahead,
        lane="small-unet",
        priority=90,
        complexity=4,
        hypothesis=(
            "A small U-Net learns texture and shape together and needs neither a common grid nor "
            "aligned cases."
        ),
        resources="torch and monai in the job's sandbox; minutes on two cores, faster on a GPU.",
        budget=f"Some hundred steps on patches, {ahead.folds} fold(s); not priced: not runnable.",
    )


def _nnunet(data: Profile, ahead: Work) -> LaneOffer:
    return _network(
        data,
        ahead,
        lane="nnunet",
        priority=80,
        complexity=6,
        hypothesis=(
            "A self-configured nnU-Net derives patch, spacing and depth from the data and is the "
            "strongest common baseline for segmentation."
        ),
        resources="nnunetv2 in the job's sandbox, a GPU or hours of CPU, gigabytes of disk.",
        budget=f"Planning and training of {ahead.folds} fold(s); not priced: not runnable.",
    )


def _network(
    data: Profile,
    ahead: Work,
    *,
    lane: str,
    priority: int,
    complexity: int,
    hypothesis: str,
    resources: str,
    budget: str,
) -> LaneOffer:
    return LaneOffer(
        lane=lane,
        family="network",
        template=lane,
        kind="paper-only",
        priority=priority,
        priority_because=(_NOT_HERE, f"{data.cases} labelled cases would be enough to train one"),
        complexity=complexity,
        units=0,
        hypothesis=hypothesis,
        data_conditions=f"{data.cases} labelled cases of {_size(data)} voxels; {_labels(data)}.",
        required_resources=resources,
        preprocessing=f"Spacing {_spacing(data)} mm kept or resampled; intensities normalised.",
        validation_obligations=_obligations(data, ahead),
        training_budget=budget,
        expected_artifacts=_artifacts("network weights"),
        failure_modes="Overfitting on few groups; results that differ between machines on a GPU.",
    )


def _units(template: Template, data: Profile, ahead: Work) -> int:
    return template.units(
        fit=ahead.fit,
        predicted=ahead.predicted,
        jobs=2 * ahead.folds,
        voxels=data.voxels_median,
    )


def _features(data: Profile) -> int:
    return 3 + data.dimensions


def _labels(data: Profile) -> str:
    shares = [
        f"{name} in {share:.2%} of the voxels"
        for name, share in sorted(data.foreground_fraction.items())
        if name != "background"
    ]

    return ", ".join(shares) or "no foreground"


def _size(data: Profile) -> str:
    return " × ".join(str(side) for side in data.size_median)


def _spacing(data: Profile) -> str:
    return " × ".join(f"{step:g}" for step in data.spacing_median)


def _preprocessing(data: Profile) -> str:
    low, high = data.intensity.get("p01"), data.intensity.get("p99")
    range_ = "" if low is None or high is None else f" (1st to 99th percentile {low:g} to {high:g})"

    return (
        f"Each channel scaled by its own mean and standard deviation{range_}; turned to LPS and "
        f"stretched to the median size {_size(data)}, at most 125,000 voxels; spacing "
        f"{_spacing(data)} mm is not resampled."
    )


def _obligations(data: Profile, ahead: Work) -> str:
    return (
        f"{ahead.metric or 'the metric'} recomputed by the reviewer on {ahead.folds} fold(s) with "
        f"{data.groups} groups kept apart; better than every null model by a paired interval over "
        "groups; geometry and label ids of every prediction."
    )


def _budget(template: Template, ahead: Work, units: int) -> str:
    return (
        f"{ahead.fit} training and {ahead.predicted} predicted cases over {ahead.folds} fold(s) at "
        f"{template.train_ms} and {template.predict_ms} ms, {template.fixed_ms} ms per job: "
        f"{units} s."
    )


def _artifacts(model: str) -> str:
    return f"{model}; predictions/CASE.nii.gz and probabilities/CASE.nii.gz of every fold."


def _imbalance(data: Profile) -> str:
    shares = {
        name: share for name, share in data.foreground_fraction.items() if name != "background"
    }
    smallest = min(shares, key=lambda name: (shares[name], name), default="")

    if not smallest or shares[smallest] >= 0.001:
        return "No label is rare enough to be lost."

    return f"{smallest} fills only {shares[smallest]:.3%} of the voxels and may be lost."


__all__ = ["finalizer_units", "offers"]
