"""What taking stock of the data asks of a kind of task: to read labels and describe the data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from amid.documents import Geometry, Profile
from amid.errors import Problem
from amid.profile.desk import Desk
from amid.profile.measure import Measured
from amid.profile.place import Place
from amid.tasks import kinds
from amid.tasks.contract import Contract
from amid.tasks.table import Row

if TYPE_CHECKING:
    from amid.profile.inventory import Taken


@dataclass(frozen=True, slots=True)
class Label:
    """One label, read, checked and put into the vault."""

    content: bytes
    """What is committed to: the bytes of the vault's file."""
    suffix: str
    """Of the vault's file, and of the copies that views hold."""
    holds: object
    """What the kind keeps of it for the profile."""


class ProfilePart(Protocol):
    """The room `profile`."""

    @property
    def COMPONENTS(self) -> tuple[int, ...]:
        """How many numbers an image may hold in one place: 1 for grey, 3 for colour."""

    def label(
        self, desk: Desk, row: Row, alias: str, like: tuple[Geometry, Place] | None
    ) -> Label | None:
        """Read the label of a row and put it into the vault; None after noting what is wrong.

        Args:
            desk: opens files, has the vault, and takes the problems.
            row: of the case table; its label is not None.
            alias: of the case.
            like: where the first image lies; None where an image is already refused.
        """

    def absent(self, seen: Sequence[Measured], contract: Contract) -> Iterator[Problem]:
        """Yield what nobody could learn or judge, since no development case has it."""

    def label_notes(self, seen: Sequence[Measured], contract: Contract) -> Iterator[str]:
        """Yield what is odd about the labels of development cases, as sentences."""

    def profile(self, contract: Contract, taken: "Taken") -> Profile:
        """Return the profile."""

    def says(self, found: Profile) -> tuple[str, ...]:
        """Return a profile as sentences for people, the findings last."""

    def parse(self, content: bytes) -> Profile:
        """Read a profile's blob back."""


def profile_part(kind: str) -> ProfilePart:
    """Return what a kind of task says about data."""
    return cast(ProfilePart, kinds.part(kind, "profile"))


__all__ = ["Label", "ProfilePart", "profile_part"]
