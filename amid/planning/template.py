"""Templates: runnable methods, their parameters, and what an attempt with one costs.

A template's code lies as plain files under `amid/templates/`; an agent copies it into its worktree,
and from then on it is the attempt's own. Nothing imports it here.
"""

from dataclasses import dataclass
from pathlib import Path

Value = int | float | bool
_FOLDER = Path(__file__).parents[1] / "templates"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that an attempt may choose, with every value worth trying, in order."""

    name: str
    values: tuple[Value, ...]
    start: Value
    means: str
    searched: bool = True
    """Whether a search steps along it; else an attempt keeps what it began with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One method, ready to be written into a worktree."""

    name: str
    family: str
    complexity: int
    trains: bool
    parts: tuple[str, ...]
    """Folders under `amid/templates/` whose files make up its code."""
    parameters: tuple[Parameter, ...]
    fixed_ms: int
    """Per job: starting Python and loading the model."""
    train_ms: int
    """Per case of the size that the kind's prices were measured at."""
    predict_ms: int
    network: bool = False
    """Whether it trains in steps, at a price per step that is measured on the machine."""
    keeps_images: bool = False
    """Whether its model files hold training images that could be read back out of them."""

    def folders(self) -> tuple[Path, ...]:
        """Return the folders whose files make up the template's code."""
        return tuple(_FOLDER / part for part in self.parts)

    def files(self) -> dict[str, str]:
        """Return the template's code by file name."""
        paths = [path for folder in self.folders() for path in folder.glob("*.py")]

        return {path.name: path.read_text(encoding="utf-8") for path in sorted(paths)}

    def units(self, *, fit: int, predicted: int, jobs: int, size: int, priced: int) -> int:
        """Return the price of one attempt in whole seconds of one core.

        Args:
            fit: training cases, summed over folds.
            predicted: predicted cases, summed over folds.
            jobs: jobs of the attempt.
            size: median size of a case, in any unit.
            priced: size of the cases at which the prices were measured, in the same unit.
        """
        work = fit * self.train_ms * self.trains + predicted * self.predict_ms
        scaled = work * max(size, priced // 16) // priced

        return max(1, -(-(jobs * self.fixed_ms + scaled) // 1000))


__all__ = ["Parameter", "Template", "Value"]
