"""The lanes proposed for a contract and a profile, as the kind of the task offers them."""

from amid.documents import Profile
from amid.planning.kind import PlanningPart, planning_part
from amid.planning.plan import Work, kind_of, work
from runtime.ports import LaneOffer, Means


def probes(contract: bytes, profile: bytes) -> tuple[str, ...]:
    """Return the templates whose step is to be timed before lanes are planned."""
    asked, data, ahead = _given(contract, profile)

    return tuple(asked.probes(data, ahead))


def offers(contract: bytes, profile: bytes, means: Means) -> tuple[LaneOffer, ...]:
    """Propose lanes, best first; equal priorities are ordered by name."""
    asked, data, ahead = _given(contract, profile)
    lanes = asked.offers(data, ahead, means)

    return tuple(sorted(lanes, key=lambda lane: (-lane.priority, lane.lane)))


def _given(contract: bytes, profile: bytes) -> tuple[PlanningPart, Profile, Work]:
    asked = planning_part(kind_of(contract))
    data = asked.parse(profile)

    return asked, data, work(contract, data)


__all__ = ["offers", "probes"]
