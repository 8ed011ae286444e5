"""Hidden labels, read from the vault as arrays (z, y, x) of whole numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amid.data.nifti import Refused, read_header, read_voxels
from amid.documents import Case
from amid.kinds.segmentation.metrics.overlap import Labels
from amid.review.measure.inputs import InputWrong

BACKGROUND = 0
"""The contract demands `background = 0`."""
IGNORED = -1
"""What a reference holds where nobody labelled: no label has a negative number."""


def foreground(labels: Mapping[str, int]) -> dict[str, int]:
    """Return the labels without background, by number."""
    pairs = sorted(labels.items(), key=lambda pair: pair[1])
    return {name: number for name, number in pairs if number != BACKGROUND}


def read_label(run: Path, case: Case, ignore: int | None = None) -> Labels | None:
    """Return the hidden label of a case on its image's grid; None when the task has none.

    Voxels that hold the number to be ignored become `IGNORED`.

    Raises:
        InputWrong: the vault's copy is missing, broken or of another size than the image.
    """
    if case.label == "missing":
        return None

    path = run / "vault" / "labels" / f"{case.case}{case.label_suffix}"
    array = _whole(_read(path), path)
    wanted = case.images[0].geometry.size[::-1]
    if array.size == np.prod(wanted) and tuple(n for n in array.shape if n > 1) == tuple(
        n for n in wanted if n > 1
    ):
        return _marked(array.reshape(wanted), ignore)

    raise InputWrong(f"label of {case.case} is {array.shape}, its image {wanted}: fix the data")


def without_ignored(reference: Labels, *others: Labels) -> tuple[Labels, ...]:
    """Return arrays with background wherever the reference says nothing."""
    left = reference == IGNORED
    if not left.any():
        return (reference, *others)

    return tuple(np.where(left, BACKGROUND, array) for array in (reference, *others))


def _marked(array: Labels, ignore: int | None) -> Labels:
    if ignore is None or not (array == ignore).any():
        return array

    return np.where(array == ignore, IGNORED, array.astype(np.int64))


def _read(path: Path) -> NDArray[np.generic]:
    if path.name.endswith((".nii", ".nii.gz")):
        try:
            return read_voxels(path, read_header(path))
        except Refused as refused:
            raise InputWrong(
                f"vault: {path.name}: {refused}; `amid verify` tells more"
            ) from refused

    import SimpleITK

    itk: Any = SimpleITK  # without types; NIfTI, the usual case, does without its 0.3 s
    try:
        array: NDArray[np.generic] = itk.GetArrayFromImage(itk.ReadImage(str(path)))
    except RuntimeError as trouble:
        raise InputWrong(f"vault: {path.name} cannot be read: {trouble}") from trouble

    return array


def _whole(array: NDArray[np.generic], path: Path) -> Labels:
    if array.dtype.kind in "iu":
        return array.astype(array.dtype.newbyteorder("="), copy=False)

    rounded = np.rint(array.astype(np.float64))
    if not np.array_equal(rounded, array):
        raise InputWrong(f"vault: {path.name} holds values that are not whole numbers")

    return rounded.astype(np.int64)
