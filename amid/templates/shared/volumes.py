"""Reads the volumes of a data view into comparable arrays, and writes predictions back.

Arrays have axes (z, y, x) in LPS orientation, whatever the files' orientation; a prediction goes
back to the orientation, size and position of its own image. Nothing here is random, and files are
visited in the order of the view: the same inputs give the same bytes.
"""

import json
import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import SimpleITK as sitk
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Shape = tuple[int, ...]

DATA = Path(os.environ["AMID_DATA"])
OUT = Path(os.environ["AMID_OUT"])
MODEL = Path(os.environ.get("AMID_MODEL", "in/model"))
SEED = int(os.environ.get("AMID_SEED", "0"))

HUGE = 1e30
"""Grey values beyond this are cut to it: their squares would be no numbers."""

sitk.ProcessObject.SetGlobalDefaultNumberOfThreads(int(os.environ.get("AMID_THREADS", "1")))


@dataclass(frozen=True)
class Case:
    """One case of the view."""

    name: str
    images: tuple[Path, ...]
    """One file per channel, channels in order of their names."""
    label: Path | None


@dataclass(frozen=True)
class View:
    """What this job may know of the data."""

    ids: tuple[int, ...]
    """Label ids in rising order; background is 0."""
    cases: tuple[Case, ...]
    fit: tuple[Case, ...]
    """The cases to learn from: all but those set aside to tune on."""
    ignore: int | None = None
    """What labels hold where nobody says what is right."""


def params() -> dict[str, Any]:
    """Return the [params] of the attempt.toml beside this file."""
    text = Path(__file__).with_name("attempt.toml").read_text(encoding="utf-8")
    found: dict[str, Any] = tomllib.loads(text)["params"]

    return found


def read_view() -> View:
    """Read cases.json of the data view."""
    view = json.loads((DATA / "cases.json").read_text(encoding="utf-8"))
    cases = tuple(
        Case(
            name=case["case"],
            images=tuple(DATA / path for _, path in sorted(case["images"].items())),
            label=DATA / case["label"] if case["label"] else None,
        )
        for case in view["cases"]
    )

    tune = set(view.get("tune", ()))
    fit = tuple(case for case in cases if case.name not in tune) or cases
    ids = tuple(sorted(view["labels"].values()))

    return View(ids=ids, cases=cases, fit=fit, ignore=view.get("ignore"))


def read_channels(case: Case) -> Floats:
    """Return the channels of a case, each with mean 0 and standard deviation 1, clipped at 4.

    Every channel is measured by itself: scanners and sites scale intensities by factors of
    thousands, which carries nothing about anatomy. Mean and deviation are those of the values
    without the outermost thousandth on each side: a single voxel of a million moves neither.
    """
    channels = []

    for path in case.images:
        values = read_as_lps(sitk.ReadImage(str(path)))

        if values.dtype.kind == "f":
            values = np.clip(values, -HUGE, HUGE).astype(np.float32)

        core = np.clip(values, *np.percentile(values, (0.1, 99.9)))

        if core.min() == core.max():  # nearly all of one value: what differs is all there is
            core = values

        middle = np.float32(core.mean(dtype=np.float64))
        spread = np.float32(max(float(core.std(dtype=np.float64)), 1e-6))
        near = np.clip(values.astype(np.float32), middle - 4 * spread, middle + 4 * spread)
        channels.append((near - middle) / spread)

    return np.stack(channels)


def read_as_lps(image: sitk.Image) -> NDArray[Any]:
    """Return the voxels of an image with axes (z, y, x), turned to LPS."""
    values: NDArray[Any] = sitk.GetArrayFromImage(_turned(image, "LPS"))

    return values


def read_parts(case: Case, ids: Sequence[int]) -> Floats:
    """Return one 0/1 volume per label id, in the order of `ids`.

    Voxels to be ignored are 0 in each: there the volumes do not sum to 1.
    """
    if case.label is None:
        raise SystemExit(f"case {case.name} has no label in this view: nothing to learn from")

    labels = read_as_lps(sitk.ReadImage(str(case.label)))

    return np.stack([labels == label for label in ids]).astype(np.float32)


def size_of(case: Case) -> Shape:
    """Return the (z, y, x) size of a case without keeping its voxels."""
    return read_as_lps(sitk.ReadImage(str(case.images[0]))).shape


def common_grid(cases: Sequence[Case], most_voxels: int) -> Shape:
    """Return the median size of the cases, made coarser until it has at most `most_voxels`."""
    median = np.median([size_of(case) for case in cases], axis=0)
    shrink = min(1.0, (most_voxels / float(np.prod(median))) ** (1 / len(median)))

    return tuple(max(1, round(float(side) * shrink)) for side in median)


def resize(volumes: Floats, shape: Sequence[int]) -> Floats:
    """Stretch the last axes of `volumes` to `shape`, linearly, edges kept."""
    first = volumes.ndim - len(shape)

    for axis, side in enumerate(shape, start=first):
        old = volumes.shape[axis]

        if old == side:
            continue

        place = np.clip((np.arange(side) + 0.5) * old / side - 0.5, 0, old - 1)
        low = place.astype(np.intp)
        high = np.minimum(low + 1, old - 1)
        part = (place - low).astype(np.float32)
        part = part.reshape([-1 if other == axis else 1 for other in range(volumes.ndim)])
        volumes = volumes.take(low, axis) * (1 - part) + volumes.take(high, axis) * part

    return volumes


def smooth(volumes: Floats, sigma: float, dimensions: int) -> Floats:
    """Blur the last `dimensions` axes with a Gaussian of `sigma` voxels."""
    if sigma <= 0:
        return volumes

    reach = max(1, round(3 * sigma))
    steps = np.arange(-reach, reach + 1)
    kernel = np.exp(-0.5 * (steps / sigma) ** 2)

    return _sweep(volumes, (kernel / kernel.sum()).astype(np.float32), dimensions)


def box(volumes: Floats, side: int, dimensions: int) -> Floats:
    """Average over cubes of `side` voxels (odd) in the last `dimensions` axes."""
    return _sweep(volumes, np.full(side, 1 / side, np.float32), dimensions)


def write_prediction(case: Case, likely: Floats, ids: Sequence[int], *, one_piece: bool) -> None:
    """Write labels and probabilities of a case on the exact grid of its image.

    Args:
        case: the case; its first image gives the geometry.
        likely: one volume per label id, summing to 1 in each voxel.
        ids: label ids in the order of `likely`; nothing else can be written.
        one_piece: keep only the largest connected piece of every label.
    """
    image = sitk.ReadImage(str(case.images[0]))
    labels = np.asarray(ids, np.uint8)[likely.argmax(axis=0)]

    if one_piece:
        labels = _largest_pieces(labels, ids)

    share = np.moveaxis(np.rint(likely * 255), 0, -1).astype(np.uint8)
    _write("predictions", case.name, sitk.GetImageFromArray(labels), image)
    _write("probabilities", case.name, sitk.GetImageFromArray(share, isVector=True), image)


def _write(folder: str, name: str, volume: sitk.Image, image: sitk.Image) -> None:
    volume.CopyInformation(_turned(image, "LPS"))
    volume = _turned(volume, _orientation(image))
    volume.CopyInformation(image)
    path = OUT / folder / f"{name}.nii.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    sitk.WriteImage(volume, str(path), useCompression=True)


def _largest_pieces(labels: NDArray[np.uint8], ids: Sequence[int]) -> NDArray[np.uint8]:
    kept = np.zeros_like(labels)

    for label in ids:
        if label == 0:
            continue

        mask = sitk.GetImageFromArray((labels == label).astype(np.uint8))
        pieces = sitk.RelabelComponent(sitk.ConnectedComponent(mask), sortByObjectSize=True)
        kept[sitk.GetArrayViewFromImage(pieces) == 1] = label

    return kept


def _turned(image: sitk.Image, orientation: str) -> sitk.Image:
    if image.GetDimension() != 3 or _orientation(image) == orientation:
        return image

    turned: sitk.Image = sitk.DICOMOrient(image, orientation)

    return turned


def _orientation(image: sitk.Image) -> str:
    if image.GetDimension() != 3:
        return ""

    code: str = sitk.DICOMOrientImageFilter.GetOrientationFromDirectionCosines(
        image.GetDirection()
    )

    return code


def _sweep(volumes: Floats, kernel: Floats, dimensions: int) -> Floats:
    """Convolve along each of the last axes, edges repeated."""
    reach = len(kernel) // 2

    for axis in range(volumes.ndim - dimensions, volumes.ndim):
        width = [(reach, reach) if other == axis else (0, 0) for other in range(volumes.ndim)]
        padded = np.pad(volumes, width, mode="edge")
        side = volumes.shape[axis]
        total = np.zeros_like(volumes)

        for step, weight in enumerate(kernel):
            window = [slice(None)] * volumes.ndim
            window[axis] = slice(step, step + side)
            total += weight * padded[tuple(window)]

        volumes = total

    return volumes
