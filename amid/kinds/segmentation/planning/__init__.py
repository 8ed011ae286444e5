"""How segmentations are planned: templates, what one costs, and the lanes to propose."""

from collections.abc import Mapping, Sequence

from amid.documents import Profile
from amid.kinds.segmentation.planning import catalogue, networks
from amid.kinds.segmentation.planning import offers as lanes
from amid.kinds.segmentation.planning.catalogue import TEMPLATES
from amid.kinds.segmentation.profile import SegmentationProfile, parse
from amid.planning.kind import Rehearsal
from amid.planning.plan import Work
from amid.planning.template import Template, Value
from runtime.ports import LaneOffer, Means


def probes(profile: Profile, ahead: Work) -> tuple[str, ...]:
    """Name the networks to be timed."""
    return networks.probes(_own(profile), ahead)


def offers(profile: Profile, ahead: Work, means: Means) -> Sequence[LaneOffer]:
    """Propose lanes."""
    return lanes.offers(_own(profile), ahead, means)


def starts(template: Template, profile: Profile) -> dict[str, Value]:
    """Return the parameters of a first attempt on this data."""
    return catalogue.starts(template, _own(profile))


def scale(profile: Profile) -> float:
    """Return how much larger the volumes are than those of the templates' prices."""
    return _own(profile).voxels_median / catalogue.PRICED


def rehearse(
    template: Template, chosen: Mapping[str, Value], profile: Profile, ahead: Work
) -> Rehearsal:
    """Set a training of a network up, on random volumes."""
    from amid.kinds.segmentation.planning.rehearsal import rehearse as on_volumes

    del template
    return on_volumes(chosen, _own(profile), ahead)


def _own(profile: Profile) -> SegmentationProfile:
    if not isinstance(profile, SegmentationProfile):
        raise TypeError("this is no profile of a segmentation")

    return profile


__all__ = ["TEMPLATES", "offers", "parse", "probes", "rehearse", "scale", "starts"]
