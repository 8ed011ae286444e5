"""Lanes: proposed, ranked, covered, promoted or refused.

Reads lane.*, and stage.round_opened for which of them were given to a worker.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from ledger.events.base import Fact
from ledger.events.work import (
    LaneCovered,
    LaneDownranked,
    LanePromoted,
    LanePromotionRefused,
    LaneProposed,
    LaneRanked,
    RoundOpened,
)
from projections.entries import Entries


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane as it stands now."""

    proposed: LaneProposed
    rank: int | None = None
    downranked: str | None = None
    covered: LaneCovered | None = None
    promoted: LanePromoted | None = None
    refused: LanePromotionRefused | None = None

    @property
    def name(self) -> str:
        """The lane's name."""
        return self.proposed.lane

    @property
    def price(self) -> int:
        """Planned units of one attempt, one at least."""
        return max(1, self.proposed.units)


class Lanes:
    """All lanes of a run."""

    def __init__(self) -> None:
        """Start with no lanes."""
        self._by_name = Entries[Lane]()
        self._given: set[str] = set()
        """Lanes that a round named."""
        self._order: tuple[str, ...] | None = None
        """Executable lanes by rank; None where it must be made anew."""
        self._waiting: dict[str, None] = {}
        """Executable, never given and not covered, by rank."""
        self._prices: list[tuple[int, str]] = []
        """Price and name of each waiting lane, cheapest first, and of some that wait no more."""
        self._due: set[str] = set()
        """Executable, given and not covered."""

    def apply(self, event: Fact) -> None:
        """Take in one event."""
        match event:
            case LaneProposed(lane=name):
                self._by_name[name] = Lane(event)
                self._order = None
            case LaneRanked(lane=name, rank=rank):
                self._put(name, rank=rank)
                self._order = None
            case LaneDownranked(lane=name, reason=reason):
                self._put(name, downranked=reason)
                self._order = None
            case LaneCovered(lane=name):
                self._put(name, covered=event)
                self._waiting.pop(name, None)
                self._due.discard(name)
            case RoundOpened(slots=slots):
                self._give(slot.lane for slot in slots)
            case LanePromoted(lane=name):
                self._put(name, promoted=event)
            case LanePromotionRefused(lane=name):
                self._put(name, refused=event)
            case _:
                pass

    def _put(self, name: str, **change: object) -> None:
        """Change one entry. An event about an unknown one changes nothing: the fold is total."""
        if name in self._by_name:
            self._by_name[name] = replace(self._by_name[name], **change)  # type: ignore[arg-type]

    @property
    def entries(self) -> Entries[Lane]:
        """Lanes, in the order they were proposed."""
        return self._by_name

    def __iter__(self) -> Iterator[Lane]:
        """Yield lanes by rank, unranked ones last, then by name."""
        order = sorted(self._by_name.values(), key=lambda x: (x.rank is None, x.rank or 0, x.name))
        yield from order

    def get(self, name: str) -> Lane | None:
        """Return one lane, if it is known."""
        return self._by_name.get(name)

    def executable(self) -> tuple[Lane, ...]:
        """Return the lanes that workers may be given, by rank."""
        return tuple(self._by_name[name] for name in self._ordered())

    def waiting(self, most: int) -> tuple[Lane, ...]:
        """Return the first executable lanes that were never given and are not covered, by rank."""
        self._ordered()
        return tuple(self._by_name[name] for name in islice(self._waiting, most))

    def dearer(self, units: int) -> tuple[Lane, ...]:
        """Return the waiting lanes of which an attempt takes more than `units`, by rank."""
        self._ordered()
        prices = self._prices

        while prices and prices[-1][1] not in self._waiting:
            prices.pop()

        if not prices or prices[-1][0] <= units:
            return ()

        waiting = (self._by_name[name] for name in self._waiting)
        return tuple(x for x in waiting if x.price > units)

    def due(self) -> tuple[Lane, ...]:
        """Return the executable lanes that were given and are not covered, by rank."""
        self._ordered()
        lanes = (self._by_name[name] for name in self._due)
        return tuple(sorted(lanes, key=lambda x: (x.rank or 0, x.name)))

    def given(self, name: str) -> bool:
        """Say whether a round named a lane."""
        return name in self._given

    def _give(self, names: Iterable[str]) -> None:
        for name in names:
            self._given.add(name)
            self._waiting.pop(name, None)
            lane = self._by_name.get(name)

            if lane is not None and self._order is not None and _executable(lane):
                if lane.covered is None:
                    self._due.add(name)

    def _ordered(self) -> tuple[str, ...]:
        if self._order is None:
            lanes = [x for x in self if _executable(x)]
            open_ = [x for x in lanes if x.covered is None]
            self._order = tuple(x.name for x in lanes)
            self._waiting = dict.fromkeys(x.name for x in open_ if x.name not in self._given)
            self._prices = sorted((x.price, x.name) for x in open_)
            self._due = {x.name for x in open_ if x.name in self._given}

        return self._order


def _executable(lane: Lane) -> bool:
    return lane.rank is not None and lane.downranked is None
