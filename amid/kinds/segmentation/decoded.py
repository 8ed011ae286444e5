"""What the decoder left: one entry per file, and arrays without pickles."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
from blake3 import blake3
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from amid.data.space import Alignment, Grid, alignment
from amid.documents import Case
from amid.kinds.segmentation.checks.evidence import LabelMap
from amid.kinds.segmentation.labels import BACKGROUND
from amid.kinds.segmentation.metrics.overlap import Labels
from amid.review.checks.evidence import Extra
from amid.review.checks.evidence import Part as Side
from amid.review.kind import Seen
from amid.review.measure.inputs import InputWrong

COARSE = 16
"""Parts a side of the grid on which predictions are nearly the same."""
LEAST = 30
"""Parts with foreground under which nothing is said of that."""
VALUES = 64
"""Distinct values that are listed; more means that these are no labels."""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class _Grid(_Entry):
    size: tuple[int, ...]
    spacing: tuple[float, ...]
    origin: tuple[float, ...]
    direction: tuple[float, ...]


class _File(_Entry):
    case: str
    status: Literal["ok", "symlink", "not-a-file", "corrupt", "not-finite"]
    reason: str
    dims: tuple[int, ...] = ()
    pixel: str = ""
    grid: _Grid | None = None
    ambiguity: float | None = None
    whole: bool = True
    array: str | None = None


class _Extra(_Entry):
    name: str
    kind: Literal["file", "folder", "symlink", "other"]


class _Fold(_Entry):
    fold: str
    files: tuple[_File, ...] = Field(default=())
    extras: tuple[_Extra, ...] = Field(default=())


class _Index(_Entry):
    schema_: Literal["decoded/1"] = Field(alias="schema")
    folds: tuple[_Fold, ...]


class LabelMaps:
    """The output folder of a decode job."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            text = (folder / "index.json").read_text("utf-8")
        except OSError as trouble:
            raise InputWrong(f"{folder}/index.json cannot be read: {trouble.strerror}") from trouble

        try:
            self._folds = _Index.model_validate_json(text).folds
        except ValidationError as trouble:
            raise InputWrong(
                f"{folder}/index.json is not a decoder's index: {trouble}"
            ) from trouble

        self._files = {(f.fold, file.case): file for f in self._folds for file in f.files}

    @property
    def folds(self) -> tuple[str, ...]:
        """Names of the folds whose predictions were decoded."""
        return tuple(fold.fold for fold in self._folds)

    def extras(self) -> Iterator[Extra]:
        """Yield the files that have no contracted name."""
        for fold in self._folds:
            for extra in fold.extras:
                yield Extra(fold.fold, extra.name, extra.kind)

    def look(self, fold: str, case: Case, part: Side) -> Seen:
        """Look at the prediction of a case by a fold's model."""
        image = grid_of(case)
        file = self._files.get((fold, case.case))
        if file is None:
            missing = LabelMap(fold, case.case, part, "missing", foreground=0, image=image)
            return Seen(missing, None)

        found = file.grid
        grid = Grid(found.size, found.spacing, found.origin, found.direction) if found else None
        array = self._array(fold, file)
        how = alignment(image, grid) if grid and len(file.dims) == len(image.size) else None
        placed = laid_onto(array, how) if array is not None and how is not None else None
        shown = placed if placed is not None else array
        prediction = LabelMap(
            fold=fold,
            case=case.case,
            part=part,
            image=image,
            status=file.status,
            reason=file.reason,
            dims=file.dims,
            grid=grid,
            ambiguity=file.ambiguity,
            whole=file.whole,
            values=() if shown is None else distinct(shown),
            foreground=0 if shown is None else int(np.count_nonzero(shown != BACKGROUND)),
            payload="" if shown is None else payload(shown),
            coarse="" if shown is None else coarse(shown),
        )
        return Seen(prediction, placed)

    def _array(self, fold: str, file: _File) -> Labels | None:
        if file.status != "ok" or file.array is None:
            return None

        if file.array != f"{fold}/{file.case}.npy":
            raise InputWrong(f"the decoder's index names {file.array!r} for {fold}/{file.case}")

        array = np.load(self._folder / file.array, allow_pickle=False)
        if array.dtype not in (np.uint8, np.int64) or array.shape != file.dims[::-1]:
            raise InputWrong(f"{file.array} is not what the decoder's index says: decode again")

        kept: Labels = array
        return kept


def grid_of(case: Case) -> Grid:
    """Return the grid of a case's first image."""
    geometry = case.images[0].geometry
    return Grid(geometry.size, geometry.spacing, geometry.origin, geometry.direction)


def laid_onto(array: Labels, how: Alignment) -> Labels:
    """Reorder an array (z, y, x) so that its axes are the image's."""
    n = array.ndim
    moved = array.transpose([n - 1 - how.axes[n - 1 - k] for k in range(n)])
    turned = tuple(n - 1 - i for i in range(n) if how.reversed[i])
    return np.ascontiguousarray(np.flip(moved, turned)) if not how.same else array


def distinct(array: Labels) -> tuple[int, ...]:
    """Return the distinct values, at most `VALUES`, in order."""
    if array.dtype == np.uint8:
        found = np.flatnonzero(np.bincount(array.ravel(), minlength=256))
    else:
        found = np.unique(array)

    return tuple(int(value) for value in found[:VALUES])


def coarse(array: Labels) -> str:
    """Return the digest of a prediction on a coarse grid of relative positions, or nothing.

    The most frequent foreground label of each part counts where it fills a quarter of it, so that
    single voxels change nothing and a template pasted into images of many sizes stays the same.
    Nothing is said of predictions with little foreground on that grid: those agree by chance.
    """
    parts = [np.array_split(np.arange(side), min(side, COARSE)) for side in array.shape]
    starts = [np.asarray([part[0] for part in axis]) for axis in parts]
    sizes = [np.asarray([len(part) for part in axis]) for axis in parts]
    room = sizes[0]
    for size in sizes[1:]:
        room = np.multiply.outer(room, size)

    found = np.zeros(room.shape, dtype=np.int64)
    most = np.zeros(room.shape, dtype=np.int64)
    for label in distinct(array):
        if label == BACKGROUND:
            continue

        count = (array == label).astype(np.int64)
        for axis, start in enumerate(starts):
            count = np.add.reduceat(count, start, axis=axis)

        wins = (count > most) & (4 * count >= room)
        found, most = np.where(wins, label, found), np.maximum(most, count)

    if np.count_nonzero(found) < LEAST:
        return ""

    return payload(found)


def payload(array: Labels) -> str:
    """Return the digest of shape and voxels."""
    small = array.size and 0 <= int(array.min()) and int(array.max()) < 256
    plain = np.ascontiguousarray(array, dtype=np.uint8 if small else np.int64)
    digest = blake3(repr(array.shape).encode())
    digest.update(plain.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
