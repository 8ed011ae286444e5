"""The sentences about data and work that several lanes share."""

from amid.kinds.segmentation.profile import SegmentationProfile
from amid.planning.plan import Work
from amid.planning.template import Template


def scale(data: SegmentationProfile) -> str:
    """Say how intensities of an image are brought to one scale."""
    low, high = data.intensity.get("p01"), data.intensity.get("p99")
    range_ = "" if low is None or high is None else f" (1st to 99th percentile {low:g} to {high:g})"

    return f"Each channel scaled by its own mean and standard deviation{range_}"


def labels(data: SegmentationProfile) -> str:
    """Return every foreground label with its share of the voxels."""
    shares = [
        f"{name} in {share:.2%} of the voxels"
        for name, share in sorted(data.foreground_fraction.items())
        if name != "background"
    ]

    return ", ".join(shares) or "no foreground"


def size(data: SegmentationProfile) -> str:
    """Return the median size."""
    return " × ".join(str(side) for side in data.size_median)


def spacing(data: SegmentationProfile) -> str:
    """Return the median spacing."""
    return " × ".join(f"{step:g}" for step in data.spacing_median)


def preprocessing(data: SegmentationProfile) -> str:
    """Say what the methods on a common grid do to an image."""
    return (
        f"{scale(data)}; turned to LPS and stretched to "
        f"the median size {size(data)}, at most 125,000 voxels; spacing "
        f"{spacing(data)} mm is not resampled."
    )


def obligations(data: SegmentationProfile, ahead: Work) -> str:
    """Say what the reviewer will check."""
    return (
        f"{ahead.metric or 'the metric'} recomputed by the reviewer on {ahead.folds} fold(s) with "
        f"{data.groups} groups kept apart; better than every null model by a paired interval over "
        "groups; geometry and label ids of every prediction."
    )


def budget(template: Template, ahead: Work, units: int) -> str:
    """Say how a price per case comes about."""
    return (
        f"{ahead.fit} training and {ahead.predicted} predicted cases over {ahead.folds} fold(s) at "
        f"{template.train_ms} and {template.predict_ms} ms, {template.fixed_ms} ms per job: "
        f"{units} s."
    )


def artifacts(model: str) -> str:
    """Say what an attempt leaves."""
    return f"{model}; predictions/CASE.nii.gz and probabilities/CASE.nii.gz of every fold."


def imbalance(data: SegmentationProfile) -> str:
    """Say whether a label is rare enough to be lost."""
    shares = {
        name: share for name, share in data.foreground_fraction.items() if name != "background"
    }
    smallest = min(shares, key=lambda name: (shares[name], name), default="")

    if not smallest or shares[smallest] >= 0.001:
        return "No label is rare enough to be lost."

    return f"{smallest} fills only {shares[smallest]:.3%} of the voxels and may be lost."


__all__ = [
    "artifacts",
    "budget",
    "imbalance",
    "labels",
    "obligations",
    "preprocessing",
    "scale",
    "size",
    "spacing",
]
