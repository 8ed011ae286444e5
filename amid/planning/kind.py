"""What planning asks of a kind of task: its templates, their prices and the lanes to propose."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from amid.documents import Profile
from amid.planning.plan import Work
from amid.planning.template import Template, Value
from amid.tasks import kinds
from runtime.ports import LaneOffer, Means


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A training set up on made-up data, to be timed."""

    step: Callable[[], object]
    predict: Callable[[], object]


class PlanningPart(Protocol):
    """The room `planning`. Pure, but for the rehearsal."""

    @property
    def TEMPLATES(self) -> Mapping[str, Template]:
        """The methods that can be run, by name."""

    def parse(self, profile: bytes) -> Profile:
        """Read a profile's blob."""

    def probes(self, profile: Profile, ahead: Work) -> Sequence[str]:
        """Name the templates whose step is to be timed before lanes are planned."""

    def offers(self, profile: Profile, ahead: Work, means: Means) -> Sequence[LaneOffer]:
        """Propose lanes in any order; those that do not fit are ranked down and kept."""

    def starts(self, template: Template, profile: Profile) -> dict[str, Value]:
        """Return the parameters of a first attempt on this data."""

    def scale(self, profile: Profile) -> float:
        """Return how much larger the cases are than those of the templates' prices."""

    def rehearse(
        self, template: Template, chosen: Mapping[str, Value], profile: Profile, ahead: Work
    ) -> Rehearsal:
        """Set a training up as the template's train.py does, on random data of the profile's size.

        The template's own modules can be imported when this is called.
        """


def planning_part(kind: str) -> PlanningPart:
    """Return what a kind of task says about methods."""
    return cast(PlanningPart, kinds.part(kind, "planning"))


def templates() -> Mapping[str, Template]:
    """Return the templates of all kinds that are here, by name."""
    return {
        name: template
        for kind in kinds.places()
        for name, template in planning_part(kind).TEMPLATES.items()
    }


__all__ = ["PlanningPart", "Rehearsal", "planning_part", "templates"]
