"""Guesses what names and files leave open: patients, modality, label numbers."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from amid.data.image import Unreadable, Volume
from amid.data.image import read as read_image
from amid.run.draft.source import FoundCase, Source

LOOKED_AT = 40
"""Masks that are opened to find which numbers they hold."""
_SUBJECT = re.compile(r"^(?:.*[_-])?(sub-[A-Za-z0-9]+)")
_VISIT = re.compile(
    r"^(.*\d.*?)[_\-. ]*(?:(?:ses|session|visit|v|tp|t|time|timepoint|scan|day|fu|followup|run|"
    r"series|slice|frame|phase)[_\-. ]?\d+|left|right|l|r|lh|rh|pre|post|baseline|follow-?up)$",
    re.IGNORECASE,
)
_AIR = -500
_KNOWN = {
    "mri": "MR", "mr": "MR", "t1": "MR", "t1w": "MR", "t1c": "MR", "t1ce": "MR", "t1gd": "MR",
    "t2": "MR", "t2w": "MR", "flair": "MR", "adc": "MR", "dwi": "MR", "ct": "CT", "pet": "PT",
    "us": "US", "ultrasound": "US",
}  # fmt: skip


def patients(cases: Sequence[FoundCase]) -> tuple[dict[str, str], str]:
    """Return case to patient, and how that was found."""
    for pattern, how in ((_SUBJECT, "from `sub-` in the names"), (_VISIT, "names without visit")):
        found = {c.case: m[1].rstrip("_-. ") for c in cases if (m := pattern.match(c.case))}
        several = [name for name, n in Counter(found.values()).items() if n > 1]
        if several and len(found) >= len(cases) / 2:
            group = {c.case: found.get(c.case, c.case) for c in cases}
            first = [case for case, patient in group.items() if patient == several[0]]
            count = len(set(group.values()))
            return group, f"{count} patients, {how}: {several[0]} has {' and '.join(first[:3])}"

    return {c.case: c.case for c in cases}, (
        f"each of the {len(cases)} cases is a patient of its own: no name tells that two belong "
        "together"
    )


def modality(source: Source, first: Volume | None) -> tuple[tuple[str, ...], str]:
    """Return DICOM words for the modality, and how they were found."""
    said = source.modality or source.channels
    known = tuple(dict.fromkeys(_KNOWN[word] for name in said if (word := _word(name)) in _KNOWN))
    if known:
        return known, f"{', '.join(known)}, from {', '.join(said)}"

    if source.modality:
        return source.modality, f"{', '.join(source.modality)}, as dataset.json says"

    if first is not None and float(first.voxels.min()) < _AIR:
        return ("CT",), f"CT, because grey values go down to {float(first.voxels.min()):.0f}"

    return (), "none: nothing in names or grey values tells"


def labels(source: Source) -> tuple[dict[str, int], str]:
    """Return name to number, and how they were found."""
    if source.labels:
        names = {"background": 0, **source.labels}
        return names, f"{_told(names)}, from dataset.json"

    seen: Counter[int] = Counter()
    masks = [case.label for case in source.cases if case.label is not None]
    opened = masks[:LOOKED_AT]
    for path in opened:
        volume = opened_volume(source.root / path)
        seen.update(() if volume is None else numbers(volume))

    found = sorted(n for n in seen if n > 0)
    names = {"background": 0}
    if len(found) == 1:
        names["foreground"] = found[0]
    else:
        names |= {f"label {number}": number for number in found}

    return names, f"{_told(names)}, from what {len(opened)} of {len(masks)} masks hold"


def numbers(volume: Volume) -> list[int]:
    """Return the whole numbers of a mask from 0 to 255; others are left to the reading of data."""
    import numpy as np

    values: Any = np.unique(volume.voxels)
    return [int(v) for v in values if v == int(v) and 0 <= v <= 255] if len(values) <= 256 else []


def opened_volume(path: Path) -> Volume | None:
    """Return a decoded file, or None where it cannot be read: that is said when data are read."""
    try:
        return read_image(path)
    except Unreadable:
        return None


def _told(names: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {number}" for name, number in names.items())


def _word(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


__all__ = ["labels", "modality", "opened_volume", "patients"]
