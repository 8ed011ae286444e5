"""What is odd about the data but no reason to stop, as sentences for people. Pure."""

from collections.abc import Iterator, Sequence

from amid.documents import Inventory
from amid.profile import measure
from amid.profile.measure import Measured

_NAMED = 5
"""How many cases a sentence names."""


def constant(seen: Sequence[Measured]) -> frozenset[str]:
    """Return the cases of which an image holds one grey value."""
    return frozenset(m.case for m in seen if any(i.constant for i in m.intensity.values()))


def notes(inventory: Inventory, seen: Sequence[Measured]) -> tuple[str, ...]:
    """Return the sentences about images."""
    return (*_values(seen), *_places(inventory, seen))


def unlabelled(inventory: Inventory) -> Iterator[str]:
    """Yield how many cases nobody can score."""
    without = [case for case in inventory.cases if case.label == "missing"]
    if without:
        many = len(without) != 1
        has = f"{_cases([case.case for case in without], 'test case')} {'have' if many else 'has'}"
        yield f"{has} no label: {'they' if many else 'it'} cannot be scored"


def _values(seen: Sequence[Measured]) -> Iterator[str]:
    flat = sorted(constant(seen))
    if flat:
        yield f"{_cases(flat)} with one grey value only: {_named(flat)}"

    for channel in seen[0].intensity if seen else ():
        wild = [m for m in seen if m.intensity[channel].wild]
        if wild:
            worst = max(wild, key=lambda m: m.intensity[channel].reach)
            value = worst.intensity[channel]
            yield (
                f"{channel}: single values of {_cases([m.case for m in wild])} lie far beyond all "
                f"others: {_named(sorted(m.case for m in wild))}; in {worst.case} up to "
                f"{value.reach:.3g}, where 98 % lie from {value.p01:.4g} to {value.p99:.4g}"
            )


def _places(inventory: Inventory, seen: Sequence[Measured]) -> Iterator[str]:
    grids = [
        case.case
        for case in inventory.cases
        if any(measure.grid_defect(i.geometry, case.images[0].geometry) for i in case.images[1:])
    ]
    if grids:
        yield f"{_cases(grids)} of which the channels stand on different grids"

    nowhere = [m.case for m in seen if not all(place.stated for place in m.places.values())]
    if nowhere:
        yield (
            f"{_cases(nowhere)} of which an image does not say where it lies (neither qform nor "
            f"sform): position and orientation are made up: {_named(nowhere)}"
        )

    apart = [(p.forms_mm, m.case) for m in seen for p in m.places.values() if p.ambiguous]
    if apart:
        names = list(dict.fromkeys(case for _, case in apart))
        yield (
            f"{_cases(names)} of which an image gives two positions (qform, sform, voxel size), up "
            f"to {max(apart)[0]:.1f} mm apart: {_named(names)}; programs may show them and every "
            "prediction at different places; `amid straighten` writes one into both"
        )

    skewed = [(p.straightened, m.case) for m in seen for p in m.places.values() if p.straightened]
    if skewed:
        names = list(dict.fromkeys(case for _, case in skewed))
        yield (
            f"axes of {_cases(names)} are up to {max(s.degrees for s, _ in skewed):.3f}° from "
            f"right angles and read as if they were at right angles, up to "
            f"{max(s.mm for s, _ in skewed):.3f} mm away: {_named(names)}"
        )


def _cases(names: Sequence[str], noun: str = "case") -> str:
    return f"1 {noun}" if len(names) == 1 else f"{len(names)} {noun}s"


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (" …" if len(names) > _NAMED else "")


__all__ = ["constant", "notes", "unlabelled"]
