"""Reads the images of a data view with their classes, and writes probabilities back.

Nothing here is random, and files are visited in the order of the view: the same inputs give the
same bytes.
"""

import csv
import json
import os
import tomllib
from collections.abc import Mapping, Sequence
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
DIGITS = 6
"""Of a written probability."""

sitk.ProcessObject.SetGlobalDefaultNumberOfThreads(int(os.environ.get("AMID_THREADS", "1")))


@dataclass(frozen=True)
class Case:
    """One case of the view."""

    name: str
    images: tuple[Path, ...]
    """One file per channel, channels in order of their names."""
    classes: tuple[int, ...] | None
    """Places of its classes in `View.names`; None where the job must not know."""


@dataclass(frozen=True)
class View:
    """What this job may know of the data."""

    names: tuple[str, ...]
    """Class names in the order of their numbers."""
    several: bool
    """Whether a case may have several classes, or none."""
    cases: tuple[Case, ...]
    fit: tuple[Case, ...]
    """The cases to learn from: all but those set aside to tune on."""


def params() -> dict[str, Any]:
    """Return the [params] of the attempt.toml beside this file."""
    text = Path(__file__).with_name("attempt.toml").read_text(encoding="utf-8")
    found: dict[str, Any] = tomllib.loads(text)["params"]

    return found


def read_view() -> View:
    """Read cases.json of the data view."""
    view = json.loads((DATA / "cases.json").read_text(encoding="utf-8"))
    numbers = view["labels"]
    names = tuple(sorted(numbers, key=lambda name: numbers[name]))
    cases = tuple(
        Case(
            name=case["case"],
            images=tuple(DATA / path for _, path in sorted(case["images"].items())),
            classes=_classes(DATA / case["label"], names) if case["label"] else None,
        )
        for case in view["cases"]
    )
    tune = set(view.get("tune", ()))
    fit = tuple(case for case in cases if case.name not in tune) or cases

    return View(names=names, several=bool(view.get("several")), cases=cases, fit=fit)


def read_image(case: Case, sides: Mapping[int, int]) -> Floats:
    """Return the channels of a case on an even grid, each with mean 0 and standard deviation 1.

    `sides` says how many places a side the grid has, by the number of the image's dimensions. Every
    channel is measured by itself: scanners scale intensities by factors of their own. Colour counts
    as several channels. Values beyond four standard deviations are cut.
    """
    channels = []

    for path in case.images:
        image = sitk.ReadImage(str(path))
        if image.GetDimension() == 3:
            image = sitk.DICOMOrient(image, "LPS")

        array = sitk.GetArrayFromImage(image).astype(np.float32)
        parts = np.moveaxis(array, -1, 0) if image.GetNumberOfComponentsPerPixel() > 1 else [array]
        channels += [_scaled(resized(part, sides[part.ndim])) for part in parts]

    return np.stack(channels)


def resized(volume: Floats, side: int) -> Floats:
    """Average a volume down, or stretch it, to `side` places on every axis."""
    for axis in range(volume.ndim):
        old = volume.shape[axis]
        edges = np.linspace(0, old, side + 1)
        summed = np.concatenate([np.zeros_like(volume.take([0], axis)), volume.cumsum(axis)], axis)
        low = np.minimum(edges.astype(np.intp), old - 1)
        part = (edges - low).astype(np.float32)
        part = part.reshape([-1 if other == axis else 1 for other in range(volume.ndim)])
        upto = summed.take(low, axis) * (1 - part) + summed.take(low + 1, axis) * part
        volume = np.diff(upto, axis=axis) * np.float32(side / old)

    return volume


def targets(view: View, cases: Sequence[Case]) -> Floats:
    """Return a row per case: 1 at its classes, else 0.

    Raises:
        ValueError: the class of a case is not known to this job.
    """
    rows = np.zeros((len(cases), len(view.names)), np.float32)

    for row, case in zip(rows, cases, strict=True):
        if case.classes is None:
            raise ValueError(f"{case.name} has no class in this view")

        row[list(case.classes)] = 1

    return rows


def write_predictions(view: View, cases: Sequence[Case], share: Floats) -> None:
    """Write one row per case with the probability of each class.

    Args:
        view: names the classes.
        cases: in the order of the rows.
        share: a row per case; where a case has exactly one class each row sums to 1.
    """
    folder = OUT / "predictions"
    folder.mkdir(parents=True, exist_ok=True)

    with (folder / "predictions.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["case", *view.names])

        for case, values in zip(cases, share, strict=True):
            rows.writerow([case.name, *(f"{value:.{DIGITS}f}" for value in values)])


def read_predictions(folder: Path) -> dict[str, Floats]:
    """Return the probabilities that another job wrote, by case."""
    with (folder / "predictions" / "predictions.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)

    return {row[0]: np.asarray([float(cell) for cell in row[1:]], np.float32) for row in rows}


def _classes(path: Path, names: Sequence[str]) -> tuple[int, ...]:
    told = json.loads(path.read_text(encoding="utf-8"))["classes"]

    return tuple(names.index(name) for name in told)


def _scaled(channel: Floats) -> Floats:
    spread = float(channel.std())
    even = (channel - channel.mean()) / (spread if spread > 0 else 1)

    return np.asarray(np.clip(even, -4, 4), np.float32)
