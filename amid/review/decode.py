"""Turns the hostile files of predict jobs into plain data. Runs in a sandbox without the vault.

`python -I -m amid.review.decode KIND`, in a job folder: reads in/predictions/<fold>/, writes what
the kind of task makes of them under out/<fold>/ and, last, out/index.json with what became of
every file. A broken file is a status and never a crash; nothing of it is executed, followed or
trusted. What a prediction should have been is not known here and is judged later.
"""

import json
import math
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, cast

from amid.tasks import kinds

Entry = dict[str, object]
"""Plain JSON values of the index."""

FOLD = re.compile(r"^[A-Za-z0-9_-]{1,32}$")


class DecodingPart(Protocol):
    """What this job asks of a kind of task, in the room `decoding`."""

    def decode_fold(
        self, fold: str, folder: Path, out: Path, voxels: Mapping[str, int] | None
    ) -> Entry:
        """Turn one fold's hostile files into plain data under `out/<fold>/`.

        Args:
            fold: its name.
            folder: the files.
            out: where plain data go.
            voxels: of each case's image, None where that is not known: what declares another
                number is not read.

        Returns:
            `fold`; `files`, one entry per case with `case`, `status`, `reason` and what the kind
            says besides; `extras`, other files with `name` and `kind`.
        """


def decode(kind: str, given: Path, out: Path) -> Entry:
    """Decode every fold's predictions and return the index that was written.

    Raises:
        KeyError: there is no such kind of task here.
    """
    asked = cast(DecodingPart, kinds.part(kind, "decoding"))
    voxels = _voxels(given.parent / "inventory.json")
    folds: list[Entry] = []
    for folder in sorted(given.iterdir()) if given.is_dir() else []:
        if not FOLD.match(folder.name) or folder.is_symlink() or not folder.is_dir():
            continue

        inside = folder / "predictions"
        plain = inside.is_dir() and not inside.is_symlink()
        folds.append(asked.decode_fold(folder.name, inside if plain else folder, out, voxels))

    index: Entry = {"schema": "decoded/1", "folds": folds}
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(index, sort_keys=True, separators=(",", ":"), allow_nan=False)
    (out / "index.json").write_text(text, "utf-8")
    return index


def _voxels(inventory: Path) -> dict[str, int] | None:
    """Return the voxels of each case's image; None without an inventory."""
    if not inventory.is_file():
        return None

    cases = json.loads(inventory.read_bytes())["cases"]
    return {case["case"]: math.prod(case["images"][0]["geometry"]["size"]) for case in cases}


if __name__ == "__main__":
    decode(sys.argv[1], Path("in/predictions"), Path("out"))
