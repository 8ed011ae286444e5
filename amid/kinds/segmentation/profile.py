"""What segmentation asks of the data: label maps on the grid of their image, and what they hold."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

from amid.data import raw
from amid.data.described import ImageProfile
from amid.data.image import Volume, pieces
from amid.data.raw import Defect
from amid.documents import Geometry, Profile
from amid.errors import Problem
from amid.profile import images
from amid.profile.desk import Desk
from amid.profile.inventory import Taken
from amid.profile.kind import Label
from amid.profile.measure import Measured, grid_defect
from amid.profile.place import Place, label_defect
from amid.tasks.contract import Contract
from amid.tasks.table import Row

COMPONENTS = (1,)


class SegmentationProfile(ImageProfile):
    """What the data of a segmentation are."""

    foreground_fraction: dict[str, float]
    """Label name to mean fraction of voxels, over labelled development cases."""
    components_median: dict[str, float]


@dataclass(frozen=True, slots=True)
class Labelled:
    """What the label of one case holds, by label name (background left out)."""

    fraction: Mapping[str, float]
    """Of the voxels that say anything."""
    pieces: Mapping[str, int]
    ignored: float = 0.0
    """Share of the voxels that say nothing."""


def label(desk: Desk, row: Row, alias: str, like: tuple[Geometry, Place] | None) -> Label | None:
    """Read a label map, and put the bytes of its file into the vault."""
    if row.label is None:
        return None

    content = desk.load(row, row.label)
    suffix = raw.suffix(row.label) or ""
    if content is None:
        return None

    copy = desk.vault.put_label(alias, suffix, content)
    opened = desk.decode(row, row.label, content, copy)
    if opened is None:
        return None

    defect = None
    if like is not None:
        defect = grid_defect(opened.volume.geometry, like[0])
        defect = defect or label_defect(opened.place, like[1])

    numbers = defect or label_ids(opened.volume, desk.contract.labels)
    if isinstance(numbers, Defect):
        desk.refuse(row, row.label, numbers)
        return None

    found = labelled(numbers, desk.contract.foreground, ignore=desk.contract.ignore)
    return Label(content, suffix, found)


def label_ids(volume: Volume, labels: Mapping[str, int]) -> Defect | NDArray[np.int64]:
    """Return the label as whole numbers, or what is wrong with its values."""
    voxels = volume.voxels
    if volume.geometry.components != 1 or voxels.dtype.kind not in "iuf":
        says = f"holds {volume.geometry.pixel}"
        return Defect("label-values", says, "write one whole number per voxel")

    if voxels.dtype.kind == "f":
        odd = int(voxels.size - np.count_nonzero(np.trunc(voxels) == voxels))
        if odd or not bool(np.isfinite(voxels).all()):
            bad = odd or int(np.count_nonzero(~np.isfinite(voxels)))
            says = f"has {bad} voxels that are not whole numbers"
            return Defect("label-values", says, "resample labels with the nearest neighbour")

    numbers = voxels.astype(np.int64)
    allowed = np.asarray(sorted(labels.values()), dtype=np.int64)
    if int(numbers.min(initial=0)) < 0 or int(numbers.max(initial=0)) > 255:
        found = np.unique(numbers)
    else:
        found = np.flatnonzero(np.bincount(numbers.reshape(-1), minlength=1))

    unknown = [int(n) for n in found if n not in allowed]
    if unknown:
        shown = ", ".join(map(str, unknown[:10])) + (" …" if len(unknown) > 10 else "")
        says = f"holds {shown}, which [labels] of task.toml does not name"
        return Defect("label-values", says, "name the label in task.toml, or correct the file")

    return numbers


def labelled(
    numbers: NDArray[np.int64], labels: Mapping[str, int], *, ignore: int | None = None
) -> Labelled:
    """Return how much of the labelled volume each label fills, and in how many pieces."""
    counts = np.bincount(numbers.reshape(-1), minlength=256)
    unknown = 0 if ignore is None else int(counts[ignore])
    known = max(1, numbers.size - unknown)
    return Labelled(
        fraction={name: float(counts[n]) / known for name, n in labels.items()},
        pieces={name: pieces(numbers == n) for name, n in labels.items()},
        ignored=unknown / max(1, numbers.size),
    )


def absent(seen: Sequence[Measured], contract: Contract) -> Iterator[Problem]:
    """Yield the labels that no development case holds: nobody could learn or judge them."""
    held = _development(seen)
    absent = {
        name: number
        for name, number in contract.foreground.items()
        if not any(label.fraction[name] for label in held)
    }
    if len(absent) == len(contract.foreground):
        yield Problem(
            code="label-empty",
            where="column label",
            says=f"no label of the {len(held)} development cases holds anything but background",
            do="name the files that hold the labels",
        )
        return

    for name, number in absent.items():
        yield Problem(
            code="label-absent",
            where=f"label {name} ({number})",
            says=f"is in none of the {len(held)} development cases; it would count as perfect "
            "wherever nothing is predicted",
            do="take it out of [labels] in task.toml, or correct the files",
        )


def label_notes(seen: Sequence[Measured], contract: Contract) -> Iterator[str]:
    """Yield the labels that some development cases lack."""
    learned = _development(seen)
    for name in contract.foreground:
        without = [label for label in learned if label.fraction[name] == 0]
        if without:
            yield f"label {name} is empty in {len(without)} of {len(learned)} development cases"

    unknown = [label.ignored for label in learned if label.ignored]
    if unknown:
        yield (
            f"{len(unknown)} of {len(learned)} development cases have voxels to be ignored, on "
            f"average {fmean(unknown):.1%} of them: neither learned nor scored there"
        )


def profile(contract: Contract, taken: Taken) -> SegmentationProfile:
    """Return the profile; what labels hold is that of development cases only."""
    labels = _development(taken.measured)
    return SegmentationProfile(
        **dict(images.profile(contract, taken)),
        foreground_fraction={
            name: fmean(label.fraction[name] for label in labels) if labels else 0.0
            for name in contract.foreground
        },
        components_median={
            name: float(median([label.pieces[name] for label in labels])) if labels else 0.0
            for name in contract.foreground
        },
    )


def says(found: Profile) -> tuple[str, ...]:
    """Return a profile as sentences for people, the findings last."""
    if not isinstance(found, SegmentationProfile):
        raise TypeError("this is no profile of a segmentation")

    labels = ", ".join(f"{k} {v:.2%}" for k, v in sorted(found.foreground_fraction.items()))
    return images.says(found, f"labels fill on average {labels or 'nothing'}")


def parse(content: bytes) -> SegmentationProfile:
    """Read a profile's blob back."""
    return SegmentationProfile.model_validate_json(content)


def _development(seen: Sequence[Measured]) -> list[Labelled]:
    return [m.label for m in seen if isinstance(m.label, Labelled) and m.split == "train"]


__all__ = [
    "COMPONENTS",
    "Labelled",
    "SegmentationProfile",
    "absent",
    "label",
    "label_ids",
    "label_notes",
    "labelled",
    "parse",
    "profile",
    "says",
]
