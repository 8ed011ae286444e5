"""The methods for segmentation, their parameters and prices."""

from collections.abc import Mapping
from dataclasses import replace

from amid.kinds.segmentation.profile import SegmentationProfile
from amid.planning.template import Parameter, Template, Value

PRICED = 63_000
"""Voxels of the volumes at which the prices below were measured."""


def starts(template: Template, profile: SegmentationProfile) -> dict[str, Value]:
    """Return the parameters of a first attempt on this data."""
    chosen = {parameter.name: parameter.start for parameter in template.parameters}
    one_piece = all(pieces <= 1 for pieces in profile.components_median.values())

    return chosen | {"one_piece": one_piece}


def units(
    template: Template, profile: SegmentationProfile, *, fit: int, predicted: int, jobs: int
) -> int:
    """Return the price of one attempt in whole seconds of one core; see `Template.units`."""
    return template.units(
        fit=fit, predicted=predicted, jobs=jobs, size=profile.voxels_median, priced=PRICED
    )


_ONE_PIECE = Parameter(
    name="one_piece",
    values=(False, True),
    start=True,
    means="keep only the largest piece per label",
)

_MIRROR = Parameter(
    name="mirror",
    values=(False, True),
    start=False,
    means="mirror images too; never where a label is left or right",
    searched=False,
)

INTENSITY_PRIOR = Template(
    name="intensity-prior",
    parts=("shared", "intensity-prior"),
    family="classical",
    complexity=1,
    trains=True,
    fixed_ms=600,
    train_ms=45,
    predict_ms=60,
    parameters=(
        Parameter("w_like", (0.4, 0.6, 0.8, 1.0, 1.2, 1.4), 1.0, "weight of the intensities"),
        Parameter("ridge", (0.003, 0.01, 0.03, 0.1, 0.3), 0.01, "distrust of the covariances"),
        Parameter("spread", (1.0, 1.5, 2.0, 3.0), 1.5, "voxels over which appearance is pooled"),
        Parameter("finish", (0.0, 0.3, 0.6, 0.9), 0.6, "voxels by which the result is smoothed"),
        Parameter("dither", (0.0, 0.02, 0.05), 0.02, "noise put on training intensities"),
        Parameter("w_prior", (0.6, 0.8, 1.0, 1.2, 1.4), 1.0, "weight of the location"),
        _ONE_PIECE,
    ),
)
ATLAS_FUSION = Template(
    name="atlas-fusion",
    parts=("shared", "atlas-fusion"),
    keeps_images=True,
    family="atlas",
    complexity=2,
    trains=True,
    fixed_ms=900,
    train_ms=35,
    predict_ms=350,
    parameters=(
        Parameter("votes", (5, 7, 10, 14, 20), 10, "atlases that vote on an image"),
        Parameter("sharp", (0.01, 0.02, 0.03, 0.06, 0.1), 0.03, "difference at which votes fade"),
        Parameter("finish", (0.0, 0.3, 0.6), 0.0, "voxels by which the result is smoothed"),
        Parameter("patch", (3, 5), 3, "side of the compared patch in voxels"),
        Parameter("reach", (0, 1), 1, "voxels by which each patch is searched"),
        Parameter("drift", (0, 3), 3, "voxels by which an atlas is moved as a whole"),
        Parameter("atlases", (50, 100, 200), 200, "cases kept as atlases"),
        _ONE_PIECE,
    ),
)


def _network(name: str, *, complexity: int, widths: tuple[int, ...]) -> Template:
    """Return a network's template; no value of a parameter costs more than the one it starts at.

    So the price that was measured with the starts holds for every attempt.
    """
    return Template(
        name=name,
        parts=("shared", "steps", "network", name),
        family=name.removeprefix("small-"),
        complexity=complexity,
        trains=True,
        fixed_ms=9000,
        train_ms=15,
        predict_ms=60,
        network=True,
        parameters=(
            Parameter("rate", (0.0005, 0.001, 0.002, 0.003, 0.005, 0.008), 0.003, "learning rate"),
            Parameter("width", widths, widths[-1], "channels at the finest level"),
            Parameter("augment", (0.0, 0.5, 1.0, 1.5, 2.0), 1.0, "strength of the variation"),
            Parameter("patch", (48, 64, 96), 96, "most voxels a side of a patch", searched=False),
            Parameter("batch", (1, 2), 2, "patches per step", searched=False),
            Parameter("fold", (2,), 2, "voxels a side that become channels", searched=False),
            Parameter("passes", (1, 2, 4), 4, "placements averaged", searched=False),
            _MIRROR,
            replace(_ONE_PIECE, searched=False),
        ),
    )


SMALL_UNET = _network("small-unet", complexity=4, widths=(8, 12, 16))
DYNUNET = _network("dynunet", complexity=5, widths=(8, 12, 16))
SEGRESNET = _network("segresnet", complexity=5, widths=(8, 12, 16))
NETWORKS = (DYNUNET, SMALL_UNET, SEGRESNET)
"""In the order in which they are tried. On 174 hippocampi of 35 × 51 × 35 voxels and with about
240 s of one core each, the first reached a Dice of 0.877 on held-out patients, the second 0.874."""
AVERAGE = Template(
    name="average",
    parts=("shared", "average"),
    family="ensemble",
    complexity=0,
    trains=False,
    fixed_ms=600,
    train_ms=0,
    predict_ms=60,
    parameters=(_ONE_PIECE,),
)
"""The finalizer's template; its complexity is that of its members, so it counts none of its own."""

TEMPLATES: Mapping[str, Template] = {
    template.name: template for template in (INTENSITY_PRIOR, ATLAS_FUSION, *NETWORKS, AVERAGE)
}

__all__ = [
    "ATLAS_FUSION",
    "AVERAGE",
    "DYNUNET",
    "INTENSITY_PRIOR",
    "NETWORKS",
    "PRICED",
    "SEGRESNET",
    "SMALL_UNET",
    "TEMPLATES",
    "starts",
    "units",
]
