"""The methods for classification, their parameters and prices."""

from collections.abc import Mapping

from amid.kinds.classification.profile import ClassificationProfile
from amid.planning.template import Parameter, Template, Value

PRICED = 16_384
"""Places of the images at which the prices below were measured: 128 a side."""
VOLUME_SIDE = 64
"""Most places a side at which a network looks at volumes; of images it sees twice as many."""

_MIRROR = Parameter(
    name="mirror",
    values=(False, True),
    start=False,
    means="mirror images too; never where a class is left or right",
    searched=False,
)

FEATURES_LOGISTIC = Template(
    name="features-logistic",
    family="features",
    parts=("classes", "features", "features-logistic"),
    complexity=1,
    trains=True,
    fixed_ms=1500,
    train_ms=6,
    predict_ms=4,
    parameters=(
        Parameter(
            "strength",
            (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03),
            0.001,
            "how far weights may go from zero",
        ),
    ),
)
FEATURES_BOOSTING = Template(
    name="features-boosting",
    family="boosting",
    parts=("classes", "features", "features-boosting"),
    complexity=2,
    trains=True,
    fixed_ms=1800,
    train_ms=14,
    predict_ms=5,
    parameters=(
        Parameter("depth", (2, 3, 4), 4, "questions that a tree asks in a row"),
        Parameter("rate", (0.025, 0.05, 0.1), 0.05, "part of each tree that counts"),
        Parameter("trees", (100, 200, 300), 300, "trees"),
    ),
)


def _network(name: str, *, family: str, complexity: int, widths: tuple[int, ...]) -> Template:
    """Return a network's template; no value of a parameter costs more than the one it starts at.

    So the price that was measured with the starts holds for every attempt.
    """
    return Template(
        name=name,
        family=family,
        parts=("classes", "steps", "class-network", name),
        complexity=complexity,
        trains=True,
        fixed_ms=9000,
        train_ms=3,
        predict_ms=6,
        network=True,
        parameters=(
            Parameter("rate", (0.0005, 0.001, 0.002, 0.003, 0.005), 0.002, "learning rate"),
            Parameter("augment", (0.5, 1.0, 1.5, 2.0), 1.0, "strength of the variation"),
            Parameter("decay", (0.01, 0.05, 0.1), 0.05, "pull of the weights towards zero"),
            Parameter("width", widths, widths[-1], "channels, see model.py", searched=False),
            Parameter("side", (32, 48, 64, 96, 128), 128, "places a side", searched=False),
            Parameter("batch", (4, 8, 16), 16, "images per step", searched=False),
            _MIRROR,
        ),
    )


DENSENET = _network("class-densenet", family="densenet", complexity=4, widths=(6, 8, 12))
RESNET = _network("class-resnet", family="resnet", complexity=5, widths=(8, 12, 16))
NETWORKS = (RESNET, DENSENET)
"""In the order in which they are tried."""
AVERAGE = Template(
    name="average",
    family="ensemble",
    parts=("classes", "class-average"),
    complexity=0,
    trains=False,
    fixed_ms=700,
    train_ms=0,
    predict_ms=1,
    parameters=(),
)
"""The finalizer's template; its complexity is that of its members, so it counts none of its own."""

TEMPLATES: Mapping[str, Template] = {
    template.name: template
    for template in (FEATURES_LOGISTIC, FEATURES_BOOSTING, *NETWORKS, AVERAGE)
}


def starts(template: Template, profile: ClassificationProfile) -> dict[str, Value]:
    """Return the parameters of a first attempt on this data.

    A network looks at images with no more places than they have, and at volumes in smaller batches.
    """
    chosen = {parameter.name: parameter.start for parameter in template.parameters}
    if not template.network:
        return chosen

    most = 128 if profile.dimensions == 2 else VOLUME_SIDE
    longest = max(profile.size_median, default=most)
    sides = next(p.values for p in template.parameters if p.name == "side")
    fitting = [side for side in sides if side <= min(most, longest)] or [sides[0]]
    return chosen | {"side": fitting[-1], "batch": 16 if profile.dimensions == 2 else 4}


def units(
    template: Template, profile: ClassificationProfile, *, fit: int, predicted: int, jobs: int
) -> int:
    """Return the price of one attempt in whole seconds of one core; see `Template.units`."""
    return template.units(
        fit=fit, predicted=predicted, jobs=jobs, size=profile.voxels_median, priced=PRICED
    )


__all__ = [
    "AVERAGE",
    "DENSENET",
    "FEATURES_BOOSTING",
    "FEATURES_LOGISTIC",
    "NETWORKS",
    "PRICED",
    "RESNET",
    "TEMPLATES",
    "starts",
    "units",
]
