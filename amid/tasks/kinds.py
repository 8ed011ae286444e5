"""Finds a task kind by name, and says what a contract asks of one.

A kind is a package of `amid.kinds`, or one that another distribution names under the entry point
`amid.kinds`. Each room asks it in words of its own: the room has a protocol, the kind a module of
the room's name that answers it (`contract`, `profile`, `review`, `planning`, `package`, `report`).
A kind that is one module answers all rooms with that module. Modules are loaded when asked, so
that reading a contract loads no network.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

if TYPE_CHECKING:
    from amid.tasks.contract import Contract

HOME = "amid.kinds"

Direction = Literal["maximize", "minimize"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing wrong in a contract: key, what is wrong, what to do."""

    key: str
    says: str
    do: str


class ContractPart(Protocol):
    """What reading a contract and its case table asks of a kind."""

    @property
    def DIMENSIONS(self) -> tuple[int, ...]:
        """Numbers of dimensions of an image that it can work on."""

    @property
    def DEFAULTS(self) -> Mapping[str, Mapping[str, object]]:
        """Section to key to value, where the kind's default is another than the contract's."""

    @property
    def LABEL_IS_FILE(self) -> bool:
        """Whether the label's cell of the case table is a path; else it is the label itself."""

    def known(self) -> tuple[str, ...]:
        """Return the names of its metrics, as an error message lists them."""

    def direction(self, metric: str) -> Direction | None:
        """Return which way is better, or None for a metric that it does not know."""

    def is_share(self, metric: str) -> bool:
        """Return whether a metric lies between 0 and 1 and is to be large."""

    def mistakes(self, contract: "Contract") -> Iterable[Mistake]:
        """Yield what is wrong in a contract of this kind, in the order of its sections."""

    def label_mistake(self, contract: "Contract", cell: str) -> str | None:
        """Return what is wrong with a label's cell that is no path; None where nothing is."""


@cache
def places() -> Mapping[str, str]:
    """Return the name of each kind that is here, and the module or package that answers for it."""
    home = import_module(HOME)
    found = {
        module.name.replace("_", "-"): f"{HOME}.{module.name}"
        for module in iter_modules(home.__path__)
        if module.ispkg
    }
    return found | {point.name: point.value for point in entry_points(group=HOME)}


def is_here(kind: str) -> bool:
    """Return whether a kind can be worked on; a contract may name others."""
    return kind in places()


def part(kind: str, room: str) -> Any:  # noqa: ANN401 - each room gives it the type of its protocol
    """Return the module with which a kind answers a room.

    Raises:
        KeyError: there is no such kind here; its message lists those there are.
    """
    if kind not in places():
        raise KeyError(f"no kind of task is called {kind!r}: there are {', '.join(places())}")

    return _module(places()[kind], room)


def contract_part(kind: str) -> ContractPart:
    """Return what a kind says about contracts."""
    return cast(ContractPart, part(kind, "contract"))


@cache
def _module(place: str, room: str) -> ModuleType:
    whole = import_module(place)
    if not hasattr(whole, "__path__") or find_spec(f"{place}.{room}") is None:
        return whole

    return import_module(f"{place}.{room}")


__all__ = [
    "ContractPart",
    "Direction",
    "Mistake",
    "contract_part",
    "is_here",
    "part",
    "places",
]
