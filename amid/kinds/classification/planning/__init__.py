"""How classifications are planned: templates, what one costs, and the lanes to propose."""

from collections.abc import Mapping, Sequence

from amid.documents import Profile
from amid.kinds.classification.planning import catalogue
from amid.kinds.classification.planning import offers as lanes
from amid.kinds.classification.planning.catalogue import TEMPLATES
from amid.kinds.classification.profile import ClassificationProfile, parse
from amid.planning.kind import Rehearsal
from amid.planning.plan import Work
from amid.planning.template import Template, Value
from runtime.ports import LaneOffer, Means


def probes(profile: Profile, ahead: Work) -> tuple[str, ...]:
    """Name the networks to be timed."""
    return lanes.probes(_own(profile), ahead)


def offers(profile: Profile, ahead: Work, means: Means) -> Sequence[LaneOffer]:
    """Propose lanes."""
    return lanes.offers(_own(profile), ahead, means)


def starts(template: Template, profile: Profile) -> dict[str, Value]:
    """Return the parameters of a first attempt on this data."""
    return catalogue.starts(template, _own(profile))


def scale(profile: Profile) -> float:
    """Return how much larger the images are than those of the templates' prices."""
    return _own(profile).voxels_median / catalogue.PRICED


def rehearse(
    template: Template, chosen: Mapping[str, Value], profile: Profile, ahead: Work
) -> Rehearsal:
    """Set a training of a network up, on random images."""
    from amid.kinds.classification.planning.rehearsal import rehearse as on_images

    del template
    return on_images(chosen, _own(profile), ahead)


def _own(profile: Profile) -> ClassificationProfile:
    if not isinstance(profile, ClassificationProfile):
        raise TypeError("this is no profile of a classification")

    return profile


__all__ = ["TEMPLATES", "offers", "parse", "probes", "rehearse", "scale", "starts"]
