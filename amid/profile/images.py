"""Sums up what images are like, from the inventory and what was seen while it was taken. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from amid.data.described import ImageProfile
from amid.documents import Case, ImageFile, Inventory
from amid.profile.inventory import Taken
from amid.profile.measure import Intensity, Measured
from amid.tasks.contract import Contract

_SCALES = 20
"""A case whose 99th percentile is so many times another's is on another intensity scale."""
_THICK = 2.5
"""From this ratio of voxel sides on, slices are thick."""


def profile(contract: Contract, taken: Taken) -> ImageProfile:
    """Return what is known of images; geometry and grey values are those of development cases."""
    inventory = taken.inventory
    development = [case for case in inventory.cases if case.split == "train"]
    first = [case.images[0] for case in development]
    seen = [m for m in taken.measured if m.split == "train"]
    spacing = _medians([image.geometry.spacing for image in first])
    per_group = Counter(case.group for case in inventory.cases)

    return ImageProfile(
        cases=len(inventory.cases),
        groups=len(per_group),
        test=len(inventory.cases) - len(development),
        dimensions=contract.task.dimensions,
        modality=contract.task.modality,
        size_median=tuple(round(n) for n in _medians([image.geometry.size for image in first])),
        spacing_median=spacing,
        anisotropy=max(spacing) / min(spacing),
        voxels_median=round(median([_voxels(image) for image in first])),
        intensity=_intensity(contract, seen),
        groups_with_several_cases=sum(1 for n in per_group.values() if n > 1),
        findings=tuple(_findings(inventory, development, seen, taken)),
    )


def says(found: ImageProfile, *more: str) -> tuple[str, ...]:
    """Return the profile as sentences for people: `more` before the findings."""
    size = "×".join(map(str, found.size_median))
    spacing = " × ".join(f"{step:.4g}" for step in found.spacing_median)
    return (
        f"{found.cases} cases of {found.groups} groups, {found.test} of them hidden test cases",
        f"{found.groups_with_several_cases} groups have several cases",
        f"median size {size} voxels of {spacing} mm",
        *more,
        *found.findings,
    )


def _medians(rows: Sequence[Sequence[float]]) -> tuple[float, ...]:
    return tuple(float(median(column)) for column in zip(*rows, strict=True))


def _voxels(image: ImageFile) -> int:
    total = 1
    for side in image.geometry.size:
        total *= side

    return total


def _intensity(contract: Contract, seen: Sequence[Measured]) -> dict[str, float]:
    """Return medians over cases, so that one case on another scale does not decide them.

    Keys of the first channel are plain; those of further channels begin with `channel:`.
    """
    found: dict[str, float] = {}
    for place, channel in enumerate(contract.data.images):
        values = [m.intensity[channel] for m in seen]
        prefix = f"{channel}:" if place else ""
        for name in ("p01", "p50", "p99", "mean", "sd"):
            found[prefix + name] = float(median([getattr(value, name) for value in values]))

    return found


def _findings(
    inventory: Inventory, development: list[Case], seen: Sequence[Measured], taken: Taken
) -> Iterable[str]:
    groups = len({case.group for case in development})
    if groups < 20:
        yield f"only {groups} development groups: intervals will be wide"

    pixels = Counter(case.images[0].geometry.pixel for case in inventory.cases)
    if len(pixels) > 1:
        listed = ", ".join(f"{name} {n}" for name, n in sorted(pixels.items()))
        yield f"images come in several pixel types: {listed}"

    spacings = {tuple(round(s, 3) for s in case.images[0].geometry.spacing) for case in development}
    if len(spacings) > 1:
        yield f"{len(spacings)} different voxel sizes"

    yield from _scales(seen)
    steps = _medians([case.images[0].geometry.spacing for case in development])
    if max(steps) / min(steps) >= _THICK:
        yield f"slices are thick: voxel sides differ {max(steps) / min(steps):.1f}-fold"

    if taken.links:
        yield f"{len(taken.links)} pairs of cases of different groups may be one patient's"

    yield from taken.notes


def _scales(seen: Sequence[Measured]) -> Iterable[str]:
    for channel in seen[0].intensity:
        tops = sorted(_reach(m.intensity[channel]) for m in seen)
        middle = median(tops)
        odd = sum(1 for top in tops if top > _SCALES * middle or top * _SCALES < middle)
        if odd:
            yield (
                f"{channel}: grey values of {odd} of {len(tops)} cases are on a scale more than "
                f"{_SCALES} times another; normalise each volume by itself"
            )


def _reach(value: Intensity) -> float:
    return max(abs(value.p01), abs(value.p99))


__all__ = ["profile", "says"]
