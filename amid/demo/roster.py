"""Who takes part: patients, their sites and visits. Pure, and the same for every seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

SITES = ("north", "east", "south")
FIRST_DAY = date(2021, 3, 1)
_BETWEEN_PATIENTS = 11
_BETWEEN_VISITS = 364


@dataclass(frozen=True, slots=True)
class Size:
    """How large a cohort is, and how fine its images."""

    learn: int
    """Patients to learn from."""
    test: int
    """Patients of the hidden test set."""
    spacing: float
    """Millimetres per voxel, along every axis."""
    voxels: tuple[int, int, int]
    """Voxels per axis, x first."""


WHOLE = Size(learn=24, test=6, spacing=3.0, voxels=(54, 66, 46))
"""What `amid demo` uses: enough patients for one holdout set, and the whole cerebrum in view."""
SMALL = Size(learn=9, test=3, spacing=9.0, voxels=(18, 22, 16))
"""For tests: seconds instead of minutes."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One simulated session, which gives one case."""

    patient: int
    """From 1; development patients first."""
    number: int
    split: Literal["train", "test"]
    site: int
    """Index into `SITES`."""
    day: date

    @property
    def name(self) -> str:
        """Return the id of the patient."""
        return f"sim{self.patient:02d}"

    @property
    def case(self) -> str:
        """Return the id of the case."""
        return f"{self.name}-v{self.number}"


def visits(size: Size) -> Iterator[Visit]:
    """Yield every visit: sites in turn, and a second visit for three patients in nine."""
    for patient in range(1, size.learn + size.test + 1):
        place = patient - 1
        learns = patient <= size.learn
        twice = learns and place // len(SITES) % 3 == 0
        for number in range(1, 3 if twice else 2):
            after = timedelta(days=_BETWEEN_PATIENTS * place + _BETWEEN_VISITS * (number - 1))
            yield Visit(
                patient=patient,
                number=number,
                split="train" if learns else "test",
                site=place % len(SITES),
                day=FIRST_DAY + after,
            )


__all__ = ["SITES", "SMALL", "WHOLE", "Size", "Visit", "visits"]
