"""Turns hostile label maps into plain arrays: out/<fold>/<case>.npy, and an entry for each file.

A broken file is a status and never a crash. Which cases, which grid and which labels there should
have been is not known here and is judged later.
"""

import math
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amid.data.nifti import MAX_VOXELS, Header, Refused, read_header, read_voxels
from amid.data.space import Grid, displacement

CASE = re.compile(r"^(c-[0-9]{4,8})\.nii\.gz$")

Entry = dict[str, object]

MAX_FILES = 20_000
MAX_BYTES = 2**32
MAX_NAME = 200
MAX_DIMENSIONS = 4


def decode_fold(
    fold: str, folder: Path, out: Path, voxels: Mapping[str, int] | None = None
) -> Entry:
    """Decode the files of one fold: `<case>.nii.gz`, and whatever else lies there.

    What has not as many `voxels` as the case's image is described by its header and not read.
    """
    files: list[Entry] = []
    extras: list[Entry] = []
    for entry in _listing(folder):
        named = CASE.match(entry.name)
        if named:
            case = named.group(1)
            wanted = None if voxels is None else voxels.get(case, 0)
            files.append(_file(fold, case, Path(entry.path), out, wanted))
        else:
            name = entry.name.encode("utf-8", "replace").decode("utf-8")[:MAX_NAME]
            extras.append({"name": name, "kind": _kind(entry)})

    return {"fold": fold, "files": files, "extras": extras}


def _listing(folder: Path) -> Iterator["os.DirEntry[str]"]:
    with os.scandir(folder) as entries:
        yield from sorted(entries, key=lambda entry: os.fsencode(entry.name))[:MAX_FILES]


def _kind(entry: "os.DirEntry[str]") -> str:
    if entry.is_symlink():
        return "symlink"

    if entry.is_dir(follow_symlinks=False):
        return "folder"

    return "file" if entry.is_file(follow_symlinks=False) else "other"


def _file(fold: str, case: str, path: Path, out: Path, voxels: int | None) -> Entry:
    """Decode one file; whatever is wrong with it becomes its status."""
    found: Entry = {"case": case, "status": "ok", "reason": ""}
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return found | {"status": "symlink", "reason": "a symbolic link, not followed"}

    if not stat.S_ISREG(mode):
        return found | {"status": "not-a-file", "reason": "not a regular file"}

    if path.stat().st_size > MAX_BYTES:
        return found | {"status": "corrupt", "reason": f"more than {MAX_BYTES} bytes on disk"}

    try:
        header = read_header(path)
        found |= {"dims": list(header.dims), "pixel": header.pixel}
        if header.voxels > MAX_VOXELS or len(header.dims) > MAX_DIMENSIONS:
            size = " × ".join(str(n) for n in header.dims)
            return found | {"status": "corrupt", "reason": f"declares {size} voxels"}

        found |= {"grid": _grid(path), "ambiguity": _ambiguity(header)}
        if voxels is not None and header.voxels != voxels:
            return found | {"reason": f"{header.voxels} voxels where its image has {voxels}"}

        return found | _voxels(read_voxels(path, header), fold, case, out)
    except Refused as refused:
        return found | {"status": "corrupt", "reason": str(refused)[:MAX_NAME]}
    except MemoryError:
        return found | {"status": "corrupt", "reason": "does not fit into the job's memory"}


def _voxels(array: NDArray[np.generic], fold: str, case: str, out: Path) -> Entry:
    """Check values, and store them as the smallest whole-number type that keeps them."""
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            return {"status": "not-finite", "reason": "holds NaN or infinity"}

        if not (array == np.rint(array)).all() or float(np.abs(array).max()) >= 2**53:
            return {"whole": False}

        array = array.astype(np.int64)

    low, high = int(array.min()), int(array.max())
    if high >= 2**63:
        return {"status": "corrupt", "reason": f"holds the value {high}, which is no label"}

    kept = array.astype(np.uint8 if 0 <= low and high < 256 else np.int64)
    place = f"{fold}/{case}.npy"
    (out / fold).mkdir(parents=True, exist_ok=True)
    np.save(out / place, np.ascontiguousarray(kept), allow_pickle=False)
    return {"whole": True, "array": place}


def _grid(path: Path) -> Entry:
    """Let ITK read the header's position; it unpacks no voxels here."""
    import SimpleITK

    itk: Any = SimpleITK  # without types
    reader = itk.ImageFileReader()
    reader.SetImageIO("NiftiImageIO")
    reader.SetFileName(str(path))
    try:
        reader.ReadImageInformation()
    except RuntimeError as trouble:
        said = str(trouble).strip().splitlines()[-1:]
        raise Refused(f"ITK refuses the header: {' '.join(said)}") from trouble

    spacing, origin = list(reader.GetSpacing()), list(reader.GetOrigin())
    direction = list(reader.GetDirection())
    if not all(math.isfinite(value) for value in (*spacing, *origin, *direction)):
        raise Refused("origin, spacing or direction is not a finite number")

    return {
        "size": list(reader.GetSize()),
        "spacing": spacing,
        "origin": origin,
        "direction": direction,
    }


def _ambiguity(header: Header) -> float | None:
    """Return how far qform and sform put the corners apart, in voxels; None without both."""
    if header.sform is None or header.qform is None or len(header.dims) < 3:
        return None

    one, two = (_affine(rows, header.dims[:3]) for rows in (header.sform, header.qform))
    if one is None or two is None:
        return None

    gap = displacement(one, two)
    return gap if math.isfinite(gap) else 1e9


def _affine(rows: tuple[tuple[float, ...], ...], size: tuple[int, ...]) -> Grid | None:
    steps = [math.sqrt(sum(row[k] ** 2 for row in rows)) for k in range(3)]
    if not all(math.isfinite(step) and step > 0 for step in steps):
        return None

    direction = tuple(row[k] / steps[k] for row in rows for k in range(3))
    return Grid(size, tuple(steps), tuple(row[3] for row in rows), direction)


__all__ = ["decode_fold"]
