"""The templates: runnable methods, their parameters, and what an attempt with one costs.

A template's code lies as plain files under `amid/templates/`; an agent copies it into its worktree,
and from then on it is the attempt's own. Nothing imports it here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from amid.documents import Profile

Value = int | float | bool
_FOLDER = Path(__file__).parents[1] / "templates"
_PRICED_VOXELS = 63_000
"""Size of the volumes at which the prices below were measured."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that an attempt may choose, with every value worth trying, in order."""

    name: str
    values: tuple[Value, ...]
    start: Value
    means: str
    searched: bool = True
    """Whether a search steps along it; else an attempt keeps what it began with."""


@dataclass(frozen=True, slots=True)
class Template:
    """One method, ready to be written into a worktree."""

    name: str
    family: str
    complexity: int
    trains: bool
    parameters: tuple[Parameter, ...]
    fixed_ms: int
    """Per job: starting Python and loading the model."""
    train_ms: int
    """Per case of `_PRICED_VOXELS` voxels."""
    predict_ms: int
    network: bool = False
    """Whether it trains in steps, at a price per step that is measured on the machine."""

    def folders(self) -> tuple[Path, ...]:
        """Return the folders whose files make up the template's code."""
        parts = ("shared", "network", self.name) if self.network else ("shared", self.name)

        return tuple(_FOLDER / part for part in parts)

    def files(self) -> dict[str, str]:
        """Return the template's code by file name."""
        paths = [path for folder in self.folders() for path in folder.glob("*.py")]

        return {path.name: path.read_text(encoding="utf-8") for path in sorted(paths)}

    def starts(self, profile: Profile) -> dict[str, Value]:
        """Return the parameters of a first attempt on this data."""
        chosen = {parameter.name: parameter.start for parameter in self.parameters}
        one_piece = all(pieces <= 1 for pieces in profile.components_median.values())

        return chosen | {"one_piece": one_piece}

    def units(self, *, fit: int, predicted: int, jobs: int, voxels: int) -> int:
        """Return the price of one attempt in whole seconds of one core.

        Args:
            fit: training cases, summed over folds.
            predicted: predicted cases, summed over folds.
            jobs: jobs of the attempt.
            voxels: median number of voxels of a case.
        """
        work = fit * self.train_ms * self.trains + predicted * self.predict_ms
        scaled = work * max(voxels, _PRICED_VOXELS // 16) // _PRICED_VOXELS

        return max(1, -(-(jobs * self.fixed_ms + scaled) // 1000))


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
    "SEGRESNET",
    "SMALL_UNET",
    "TEMPLATES",
    "Parameter",
    "Template",
    "Value",
]
