"""Small tasks and real images for the tests of tasks, profile, split and views."""

import csv
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import SimpleITK
from blake3 import blake3

from amid.documents import Case, Geometry, ImageFile, Inventory
from amid.tasks.contract import Contract, Metric, Task, Validation

sitk: Any = SimpleITK

ROOT = Path(__file__).parents[2]

PLAIN = Geometry(
    size=(4, 4, 4),
    spacing=(1.0, 1.0, 1.0),
    origin=(0.0, 0.0, 0.0),
    direction=(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    pixel="8-bit unsigned integer",
)


def shared(*parts: str) -> Path:
    """Return a file or folder of the real images; skip the test where they are not here."""
    root = Path(os.environ.get("AMID_SHARED_DATA", ROOT.parent / "shared" / "data"))
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no real images: {'/'.join(parts)} is neither in AMID_SHARED_DATA nor near")

    return path


class Store:
    """Blobs in memory."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}

    def __call__(self, content: bytes | Path, /) -> str:
        """Keep the content and return its digest."""
        held = content.read_bytes() if isinstance(content, Path) else content
        digest = blake3(held).hexdigest()
        self.blobs[digest] = held
        return digest


def contract(**validation: object) -> Contract:
    """Return a segmentation contract with one label and the given `[validation]`."""
    return Contract(
        task=Task(id="knee", kind="segmentation"),
        labels={"background": 0, "bone": 1},
        metric=Metric(primary="dice", direction="maximize"),
        validation=Validation.model_validate(validation),
    )


def case(
    alias: str,
    group: str,
    *,
    test: bool = False,
    canonical: str | None = None,
    geometry: Geometry = PLAIN,
    **attributes: str,
) -> Case:
    """Return a case without files, whose image differs from every other by its alias."""
    digest = blake3((canonical or alias).encode()).hexdigest()
    header = blake3(str(geometry).encode()).hexdigest()
    image = ImageFile(
        channel="image",
        raw=digest,
        decoded=digest,
        canonical=digest,
        header=header,
        geometry=geometry,
        suffix=".nii.gz",
    )
    return Case(
        case=alias,
        group=group,
        split="test" if test else "train",
        attributes=attributes,
        images=(image,),
        label="present",
        label_suffix=".nii.gz",
        label_commitment=digest,
    )


def inventory(*cases: Case) -> Inventory:
    """Return an inventory, sorted as a real one is."""
    return Inventory(cases=tuple(sorted(cases, key=lambda c: c.case)))


def edit_table(task: Path, change: Callable[[list[dict[str, str]]], object]) -> None:
    """Rewrite `cases.csv` of a task after changing its rows in place."""
    path = task / "cases.csv"
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    change(rows)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)


def edit_voxels(path: Path, change: Callable[[Any], object], kind: str | None = None) -> None:
    """Rewrite an image after changing its voxel array in place, perhaps as another type."""
    image = sitk.ReadImage(str(path))
    voxels = sitk.GetArrayFromImage(image)
    voxels = voxels if kind is None else voxels.astype(kind)
    changed = change(voxels)
    new = sitk.GetImageFromArray(changed if isinstance(changed, np.ndarray) else voxels)
    if new.GetSize() == image.GetSize():
        new.CopyInformation(image)
    sitk.WriteImage(new, str(path), True)


def edit_header(path: Path, change: Callable[[bytearray], object]) -> None:
    """Rewrite a `.nii.gz` after changing its header bytes in place."""
    content = bytearray(gzip.decompress(path.read_bytes()))
    change(content)
    path.write_bytes(gzip.compress(bytes(content), mtime=0))
