"""Writes the task folder of the simulated cohort."""

import json
from pathlib import Path

from amid.demo import template as templates
from amid.demo import texts
from amid.demo.anatomy import anatomy
from amid.demo.niftifile import encode
from amid.demo.roster import SITES, WHOLE, Size, Visit, visits
from amid.demo.scanner import scan
from amid.demo.template import CENTRE, Template
from amid.demo.texts import Division
from amid.errors import FolderExists, from_os_error


def make(into: Path, seed: int = 0, *, size: Size = WHOLE, division: Division = "auto") -> Path:
    """Write the task folder `into` (which must not exist) and return it.

    The same seed gives the same bytes under the same versions of NumPy, SciPy and nilearn on the
    same kind of processor.

    Args:
        into: the folder.
        seed: of all patients and images.
        size: how many patients, and how fine their images.
        division: what `task.toml` says about validation.

    Raises:
        FolderExists: something is already there.
        PackageMissing: nilearn is not installed.
        Failed: the file system refused.
    """
    if into.exists():
        raise FolderExists(
            f"{into} already exists",
            where=str(into),
            why="the task is made whole or not at all, and never over something else",
            do="name a folder that does not exist",
        )

    template = templates.load(size)
    try:
        _write(into, template, seed, size, division)
    except OSError as error:
        raise from_os_error(error, doing="making the demo's task", place=into) from error

    return into


def _write(into: Path, template: Template, seed: int, size: Size, division: Division) -> None:
    (into / "images").mkdir(parents=True)
    (into / "labels").mkdir()
    rows = ["case,patient,split,site,date,image,label"]

    for visit in visits(size):
        image, label = _files(template, size, visit, seed)
        paths = [f"{folder}/{visit.case}.nii.gz" for folder in ("images", "labels")]
        for path, content in zip(paths, (image, label), strict=True):
            (into / path).write_bytes(content)

        cells = (visit.case, visit.name, visit.split, SITES[visit.site], visit.day.isoformat())
        rows.append(",".join((*cells, *paths)))

    if division == "given":
        (into / texts.SPLITS).write_text(_splits(size), encoding="utf-8")

    (into / "README.md").write_text(texts.readme(size, seed), encoding="utf-8")
    (into / "cases.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (into / "task.toml").write_text(texts.task(division), encoding="utf-8")


def _files(template: Template, size: Size, visit: Visit, seed: int) -> tuple[bytes, bytes]:
    """Return image and label of a visit as NIfTI files."""
    seen = anatomy(template, size, visit, seed)
    first = [
        start + middle - (n - 1) / 2 * size.spacing
        for start, middle, n in zip(template.origin, CENTRE, size.voxels, strict=True)
    ]
    origin, spacing = (first[0], first[1], first[2]), (size.spacing,) * 3
    image = encode(scan(seen.t1, size, visit, seed), spacing=spacing, origin=origin)
    return image, encode(seen.label, spacing=spacing, origin=origin)


def _splits(size: Size) -> str:
    """Return three folds in nnU-Net's format; each third patient of a site is validated on."""
    learn = [visit for visit in visits(size) if visit.split == "train"]
    folds = []
    for fold in range(3):
        held = {visit.case for visit in learn if (visit.patient - 1) // len(SITES) % 3 == fold}
        cases = [visit.case for visit in learn]
        folds.append(
            {
                "train": [case for case in cases if case not in held],
                "val": [case for case in cases if case in held],
            }
        )

    return json.dumps(folds, indent=4) + "\n"


__all__ = ["make"]
