"""Lanes: proposed, ranked, covered, promoted or refused.

Reads lane.*.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ledger.events.base import Fact
from ledger.events.work import (
    LaneCovered,
    LaneDownranked,
    LanePromoted,
    LanePromotionRefused,
    LaneProposed,
    LaneRanked,
)


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


class Lanes:
    """All lanes of a run."""

    def __init__(self) -> None:
        """Start with no lanes."""
        self._by_name: dict[str, Lane] = {}

    def apply(self, event: Fact) -> None:
        """Take in one event."""
        match event:
            case LaneProposed(lane=name):
                self._by_name[name] = Lane(event)
            case LaneRanked(lane=name, rank=rank):
                self._put(name, rank=rank)
            case LaneDownranked(lane=name, reason=reason):
                self._put(name, downranked=reason)
            case LaneCovered(lane=name):
                self._put(name, covered=event)
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

    def __iter__(self) -> Iterator[Lane]:
        """Yield lanes by rank, unranked ones last, then by name."""
        order = sorted(self._by_name.values(), key=lambda x: (x.rank is None, x.rank or 0, x.name))
        yield from order

    def get(self, name: str) -> Lane | None:
        """Return one lane, if it is known."""
        return self._by_name.get(name)

    def executable(self) -> tuple[Lane, ...]:
        """Return the lanes that workers may be given, by rank."""
        return tuple(x for x in self if x.rank is not None and x.downranked is None)
