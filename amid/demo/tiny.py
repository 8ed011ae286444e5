"""Makes the `tiny` task on the spot: 14 small volumes of 8 patients, the same bytes for one seed.

Twelve cases of six patients (two visits each) are for development: one patient goes to the inner
set and five are left to judge on. Two cases of two further patients are the hidden test set.
Neither SimpleITK nor an outside file is needed; noise comes from raw generator bits and whole-
number arithmetic, so that the images do not depend on a maths library.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from amid.demo.niftifile import encode
from amid.errors import FolderExists, from_os_error

SIDE = 16
_LEVELS = (100, 160, 220)
"""Mean intensity of background, left and right."""

_TASK = """\
# A task made on the spot, for tests and for a first look. See README.md.

[task]
id = "tiny"
kind = "segmentation"
dimensions = 3
modality = ["synthetic"]

[data]
cases = "cases.csv"
images = ["image"]
label = "label"
inputs = ["image"]
group = "patient"

[labels]
background = 0
left = 1
right = 2

[metric]
primary = "dice"
direction = "maximize"
average = "macro-foreground-per-case"
empty = "one-if-both-empty"
also = ["hd95", "nsd@1mm"]

[validation]
scheme = "kfold"
folds = 2
inner = 0.1
looks = 12

[submission]
index = "submission.csv"
columns = { case = "image_id", path = "predicted_mask_path" }
path = "predictions/{case}.nii.gz"
geometry = "as-image"

[budget]
wall = "10m"
attempts = 3

[sharing]
agent_sees = "phantom"
images_may_be_shared = true
"""

_README = """\
# tiny

A synthetic segmentation task, made on the spot from the seed {seed}; no patient stands behind
it, and it may be used and shared freely (CC0).

Each volume has 16³ voxels of 1 × 1 × 1.5 mm and shows one bright egg-shaped body on a darker, noisy
ground. Its left half (label 1) is a little darker than its right half (label 2). Body size and
place vary from patient to patient and, less, between the two visits of one patient.

| | patients | cases |
|---|---|---|
| `train` | 6 | 12 (two visits each) |
| `test` | 2 | 2 |

Six development patients are the fewest with which one can be set aside as the inner set while five
remain to judge on, in two folds. Two visits of one patient look alike, so they are never parted.
"""


def make(into: Path, seed: int = 0) -> Path:
    """Write the task folder `into` (which must not exist) and return it.

    Raises:
        FolderExists: something is already there.
        Failed: the file system refused.
    """
    if into.exists():
        raise FolderExists(
            f"{into} already exists",
            where=str(into),
            why="the task is made whole or not at all, and never over something else",
            do="name a folder that does not exist",
        )

    try:
        _write(into, seed)
    except OSError as error:
        raise from_os_error(error, doing="making the tiny task", place=into) from error

    return into


def _write(into: Path, seed: int) -> None:
    (into / "images").mkdir(parents=True)
    (into / "labels").mkdir()
    rows = ["case,patient,split,image,label"]

    for patient in range(1, 9):
        split = "train" if patient <= 6 else "test"
        body = _bits(seed, patient, 0, 6)
        for visit in range(1, 3 if split == "train" else 2):
            case = f"p{patient:02d}-v{visit}"
            image, label = _case(body, seed, patient, visit)
            (into / "images" / f"{case}.nii.gz").write_bytes(_nifti(image))
            (into / "labels" / f"{case}.nii.gz").write_bytes(_nifti(label))
            rows.append(f"{case},p{patient:02d},{split},images/{case}.nii.gz,labels/{case}.nii.gz")

    (into / "README.md").write_text(_README.format(seed=seed), encoding="utf-8")
    (into / "cases.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (into / "task.toml").write_text(_TASK, encoding="utf-8")


def _bits(seed: int, patient: int, visit: int, count: int) -> NDArray[np.int64]:
    """Return `count` whole numbers in 0..65535 that depend on the arguments alone."""
    generator = np.random.PCG64(np.random.SeedSequence((seed, patient, visit)))
    raw = np.asarray(generator.random_raw((count + 3) // 4), dtype="<u8")
    return raw.view("<u2")[:count].astype(np.int64)


def _case(
    body: NDArray[np.int64], seed: int, patient: int, visit: int
) -> tuple[NDArray[np.int16], NDArray[np.uint8]]:
    """Return image and label as arrays in (x, y, z) order.

    Lengths are in 1/64 voxel, so that all arithmetic is exact.
    """
    wobble = _bits(seed, patient, visit, 6)
    centre = [
        480 + int(body[axis]) * 192 // 65536 - 96 + int(wobble[axis]) * 48 // 65536 - 24
        for axis in range(3)
    ]
    radius = [
        base + int(body[axis + 3]) * 96 // 65536 - 48 + int(wobble[axis + 3]) * 24 // 65536 - 12
        for axis, base in enumerate((336, 256, 288))
    ]
    x, y, z = np.meshgrid(*(np.arange(SIDE, dtype=np.int64) * 64,) * 3, indexing="ij")
    scale = 1 << 20
    distance = sum(
        ((grid - centre[axis]) ** 2 * scale) // radius[axis] ** 2
        for axis, grid in enumerate((x, y, z))
    )
    label = np.where(distance <= scale, np.where(x < centre[0], 1, 2), 0).astype(np.uint8)
    # The sum of four uniform numbers is close enough to a normal one.
    dice = _bits(seed, patient, visit + 16, 4 * SIDE**3).reshape(4, SIDE, SIDE, SIDE)
    noise = (dice.sum(axis=0) - 2 * 65535) * 52 // 65536
    image = np.asarray(_LEVELS, dtype=np.int64)[label] + noise
    return np.clip(image, 0, 32767).astype(np.int16), label


def _nifti(array: NDArray[np.int16] | NDArray[np.uint8]) -> bytes:
    return encode(array, spacing=(1, 1, 1.5), origin=(-7.5, -7.5, -11.25))


__all__ = ["SIDE", "make"]
