"""Turns a hostile table of probabilities into plain numbers: an entry for each case it names.

The table is `predictions.csv`: a header `case,<class>,...` and a row for each case. A broken row is
a status and never a crash; which cases and classes there should have been is judged later.
"""

import csv
import io
import math
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

Entry = dict[str, object]

TABLE = "predictions.csv"
CASE = re.compile(r"^c-[0-9]{4,8}$")
MAX_BYTES = 2**27
MAX_ROWS = 2_000_000
MAX_COLUMNS = 1_000
MAX_FILES = 1_000
MAX_NAME = 200


def decode_fold(
    fold: str, folder: Path, out: Path, voxels: Mapping[str, int] | None = None
) -> Entry:
    """Read the table of one fold; other files are named and left aside."""
    del out, voxels
    extras = [entry for entry in _listing(folder) if entry["name"] != TABLE]
    files, columns, says = _table(folder / TABLE)

    return {"fold": fold, "files": files, "extras": extras, "columns": columns, "says": says}


def _listing(folder: Path) -> list[Entry]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: os.fsencode(entry.name))[:MAX_FILES]

    return [{"name": _plain(entry.name), "kind": _kind(entry)} for entry in found]


def _kind(entry: "os.DirEntry[str]") -> str:
    if entry.is_symlink():
        return "symlink"

    if entry.is_dir(follow_symlinks=False):
        return "folder"

    return "file" if entry.is_file(follow_symlinks=False) else "other"


def _table(path: Path) -> tuple[list[Entry], list[str], str]:
    """Return an entry per row, the names of the classes, and what is wrong with the whole."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return [], [], f"there is no {TABLE}"

    if not stat.S_ISREG(found.st_mode):
        return [], [], f"{TABLE} is not a regular file"

    if found.st_size > MAX_BYTES:
        return [], [], f"{TABLE} has more than {MAX_BYTES} bytes"

    try:
        return _rows(path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError as trouble:
        return [], [], f"{TABLE} is not UTF-8 at byte {trouble.start}"
    except (csv.Error, ValueError) as trouble:
        return [], [], f"{TABLE} cannot be read: {_plain(str(trouble))}"


def _rows(text: str) -> tuple[list[Entry], list[str], str]:
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(lines, [])
    columns = [_plain(name) for name in header[1:]]
    if header[:1] != ["case"] or len(header) > MAX_COLUMNS or len(header) < 2:
        return [], columns, f"the header of {TABLE} is not case and a column per class"

    return list(_entries(lines, len(columns))), columns, ""


def _entries(lines: Iterator[list[str]], wanted: int) -> Iterator[Entry]:
    seen: set[str] = set()
    for number, cells in enumerate(lines, start=2):
        if number > MAX_ROWS:
            raise ValueError(f"more than {MAX_ROWS} rows")

        if not cells:
            continue

        if not CASE.match(cells[0]):
            yield {"case": _plain(cells[0]), "status": "unknown", "reason": f"line {number}"}
        elif cells[0] in seen:
            yield {"case": cells[0], "status": "twice", "reason": f"line {number}"}
        else:
            seen.add(cells[0])
            yield {"case": cells[0], **_values(cells[1:], wanted, number)}


def _values(cells: list[str], wanted: int, number: int) -> Entry:
    if len(cells) != wanted:
        says = f"line {number} has {len(cells)} numbers, the header {wanted}"
        return {"status": "corrupt", "reason": says}

    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        return {"status": "corrupt", "reason": f"line {number} holds something that is no number"}

    if not all(math.isfinite(value) for value in values):
        return {"status": "not-finite", "reason": f"line {number} holds NaN or infinity"}

    return {"status": "ok", "reason": "", "values": values}


def _plain(text: str) -> str:
    """Return a text of the job's that can stand in a document."""
    shown = text.encode("utf-8", "replace").decode("utf-8")[:MAX_NAME]
    return "".join(letter if letter.isprintable() else "?" for letter in shown)


__all__ = ["decode_fold"]
