"""Finds cases of different groups that may belong together: equal voxels, equal unusual headers."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from amid.documents import Case, Geometry, ImageFile, Inventory, Split

_SIDES = ("training", "validation", "test")
_SHARED = 3
"""A header that more groups share comes from a template or a reset, not from one patient."""


@dataclass(frozen=True, slots=True)
class Link:
    """Two cases (aliases, sorted) of different groups, and why they may be one patient's."""

    first: str
    second: str
    evidence: str


def find(
    inventory: Inventory, *, constant: frozenset[str]
) -> tuple[tuple[Link, ...], tuple[str, ...]]:
    """Return suspected links between groups, and notes for people.

    Images of one grey value equal each other for no reason of identity and are left out.
    """
    links: dict[tuple[str, str], Link] = {}
    notes: list[str] = []

    for channel, same in _alike(inventory, lambda image: image.canonical):
        for first, second in pairwise(case for case in same if case.case not in constant):
            if first.group == second.group:
                notes.append(f"{first.case} and {second.case} of one group hold the same image")
            else:
                _add(links, first, second, f"{channel}: identical voxels")

    spaces = 0
    for channel, same in _alike(inventory, _telling_header):
        if len({case.group for case in same}) > _SHARED:
            spaces += 1
            continue
        for first, second in pairwise(same):
            if first.group != second.group:
                _add(links, first, second, f"{channel}: identical origin, size, spacing, direction")

    if spaces:
        notes.append(
            f"{spaces} headers are each shared by more than {_SHARED} groups (a common space): "
            "they say nothing about patients"
        )

    return tuple(link for _, link in sorted(links.items())), tuple(notes)


def across(
    inventory: Inventory, split: Split, *, constant: frozenset[str]
) -> tuple[tuple[str, str, str], ...]:
    """Return the pairs of cases with one image that stand on two sides, and which sides.

    Training (fit and inner), validation and test are the sides of each fold.
    """
    found: dict[tuple[str, str], str] = {}
    for fold in split.folds:
        side = dict.fromkeys((*fold.fit, *split.inner), "training")
        side |= dict.fromkeys(fold.validation, "validation")
        side |= dict.fromkeys(split.test, "test")
        for _, same in _alike(inventory, lambda image: image.canonical):
            seen = sorted(
                (_SIDES.index(side[case.case]), case.case)
                for case in same
                if case.case in side and case.case not in constant
            )
            for (_, one), (_, other) in pairwise(seen):
                if side[one] != side[other]:
                    found.setdefault((one, other), f"{side[one]} and {side[other]}")

    return tuple((one, other, sides) for (one, other), sides in sorted(found.items()))


def _alike(
    inventory: Inventory, key: Callable[[ImageFile], str | None]
) -> Iterator[tuple[str, list[Case]]]:
    """Yield the cases, sorted by alias, whose images of one channel share a key."""
    found: defaultdict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in inventory.cases:
        for image in case.images:
            value = key(image)
            if value is not None:
                found[image.channel, value].append(case)

    for (channel, _), cases in found.items():
        if len(cases) > 1:
            yield channel, cases


def _telling_header(image: ImageFile) -> str | None:
    return None if trivial(image.geometry) else image.header


def _add(links: dict[tuple[str, str], Link], first: Case, second: Case, says: str) -> None:
    """Add a link unless the pair has one, which then rests on stronger evidence."""
    crosses = "" if first.split == second.split else "; one is a training, one a test case"
    pair = (first.case, second.case)
    links.setdefault(pair, Link(*pair, says + crosses))


def trivial(geometry: Geometry) -> bool:
    """Return whether an origin tells nothing: whole or half millimetres, or a centred grid."""
    if all(abs(2 * n - round(2 * n)) < 2e-4 for n in geometry.origin):
        return True

    rank = len(geometry.size)
    for axis in range(rank):
        row = geometry.direction[axis * rank : (axis + 1) * rank]
        reach = sum(
            cosine * (size - 1) * spacing / 2
            for cosine, size, spacing in zip(row, geometry.size, geometry.spacing, strict=True)
        )
        if abs(geometry.origin[axis] + reach) > 1e-3:
            return False

    return True


__all__ = ["Link", "across", "find", "trivial"]
