"""How well each runnable method suits a profile: pure judgements with their reasons."""

from dataclasses import dataclass

from amid.kinds.segmentation.profile import SegmentationProfile

MANY_VOXELS = 4_000_000
"""Larger volumes lose most of their detail on the templates' common grid of 125,000 voxels."""
FEW_CASES = 8
FEW_ATLASES = 5
FEW_EXAMPLES = 10
"""Cases under which a network learns the cases instead of the anatomy."""
FINEST = 24
"""A longest side under this is hardly more than a point where a network is coarsest."""
MOST_MIB = 4096
"""The networks keep all cases in memory, at most so much."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether a method can be run on the data, how soon it should be, and why."""

    able: bool
    priority: int
    because: tuple[str, ...]


def intensity_prior(profile: SegmentationProfile) -> Fit:
    """Judge the local Gaussian model: wants labels in about the same place in every case."""
    because = [f"{profile.cases} labelled cases to estimate location and appearance from"]
    able = _has_labels(profile, because)
    priority = 800

    if profile.cases < FEW_CASES:
        priority -= 200
        because.append(f"fewer than {FEW_CASES} cases: local statistics are weak")

    return Fit(able, _for_size(profile, priority, because), tuple(because))


def atlas_fusion(profile: SegmentationProfile) -> Fit:
    """Judge patch voting: wants enough atlases, and volumes small enough to compare often."""
    because = [f"{profile.cases} labelled cases can vote as atlases"]
    able = _has_labels(profile, because)
    priority = 700

    if profile.cases < FEW_ATLASES:
        able = False
        because.append(f"fewer than {FEW_ATLASES} atlases cannot outvote one another")
    elif profile.cases >= 30:
        priority += 50
        because.append("enough cases to choose look-alikes among them")

    if profile.groups_with_several_cases:
        because.append(
            f"{profile.groups_with_several_cases} groups have several cases: near copies among "
            "the atlases, which the split keeps on one side"
        )

    return Fit(able, _for_size(profile, priority, because), tuple(because))


def network(profile: SegmentationProfile, *, channels: int) -> Fit:
    """Judge networks: want cases enough, volumes with some extent, and all of them in memory."""
    because = [f"{profile.cases} labelled cases to learn texture and shape from"]
    able = _has_labels(profile, because)
    longest = max(profile.size_median, default=0)
    taken = 4 * profile.cases * profile.voxels_median * (channels + 1) >> 20
    priority = 600

    if profile.cases < FEW_EXAMPLES:
        able = False
        because.append(f"fewer than {FEW_EXAMPLES} cases: a network would learn them by heart")

    if longest < FINEST:
        able = False
        because.append(
            f"no side of {FINEST} voxels or more (longest {longest}): halved three times, nothing "
            "is left to see"
        )

    if taken > MOST_MIB:
        able = False
        because.append(f"{taken:,} MiB for all cases; the template keeps {MOST_MIB:,} at most")

    return Fit(able, priority, tuple(because))


def _has_labels(profile: SegmentationProfile, because: list[str]) -> bool:
    if not any(share > 0 for share in profile.foreground_fraction.values()):
        because.append("no label has a voxel: nothing to learn")
        return False

    return True


def _for_size(profile: SegmentationProfile, priority: int, because: list[str]) -> int:
    voxels = profile.voxels_median

    if voxels > MANY_VOXELS:
        because.append(f"{voxels:,} voxels a case: the common grid blurs small structures")
        return priority - 300

    because.append(f"{voxels:,} voxels a case: little or nothing is lost on the common grid")
    return priority


__all__ = ["Fit", "atlas_fusion", "intensity_prior", "network"]
