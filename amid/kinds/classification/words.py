"""How classes are written: in a cell of the case table, and in the file that stands for it. Pure.

A cell names one class, or, where a case may have several, any number of them with `;` between, and
`none` for none. The vault and the views hold a small JSON file for each case instead.
"""

import json
from collections.abc import Mapping

SEPARATOR = ";"
NONE = "none"
SUFFIX = ".json"


def classes(cell: str) -> tuple[str, ...]:
    """Return the class names of a cell, in its order."""
    names = [name.strip() for name in cell.split(SEPARATOR)]

    return tuple(name for name in names if name and name != NONE)


def mistake(cell: str, labels: Mapping[str, int], *, several: bool) -> str | None:
    """Return what is wrong with a cell, as the end of a sentence; None where nothing is."""
    names = classes(cell)
    unknown = [name for name in names if name not in labels]
    if unknown:
        listed = ", ".join(sorted(labels, key=lambda name: labels[name]))
        return f'= "{unknown[0]}" is no class of [labels] in task.toml; there are {listed}'

    if len(set(names)) < len(names):
        return f'= "{cell}" names a class twice'

    if not several and len(names) != 1:
        return f'= "{cell}" names {len(names)} classes; each case has one (task.several = false)'

    return None


def stored(cell: str, labels: Mapping[str, int]) -> bytes:
    """Return the bytes of the file that holds a case's classes, by number."""
    names = sorted(classes(cell), key=lambda name: labels[name])

    return json.dumps({"classes": names}, separators=(",", ":")).encode() + b"\n"


def read(content: bytes) -> tuple[str, ...]:
    """Return the class names that such a file holds.

    Raises:
        ValueError: it is no such file.
    """
    told = json.loads(content)
    names = told.get("classes") if isinstance(told, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("not a file of classes")

    return tuple(names)


__all__ = ["NONE", "SEPARATOR", "SUFFIX", "classes", "mistake", "read", "stored"]
