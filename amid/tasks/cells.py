"""The cells of a case table: which mark separates them, and columns that hold nothing. Pure."""

import csv
import io
from dataclasses import dataclass

_MARKS = {",": "comma", ";": "semicolon", "\t": "tab"}
_NEEDED = ("case", "split")
"""Columns that every case table has: what separates them separates the columns."""

Line = tuple[int, list[str]]
"""Number of a line in the file, and its cells."""


class NotCells(Exception):
    """The text is no table; the message ends a sentence that begins with the file."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A table as text."""

    header: list[str]
    lines: list[Line]
    notes: tuple[str, ...]
    """What was read in another way than it was written."""


def split(text: str) -> Cells:
    """Return the cells of a table.

    Raises:
        NotCells: it is no CSV, has no rows, or its lines do not agree on what separates them.
    """
    mark = _mark(text)
    lines = _read(text, mark)
    if len(lines) < 2:
        raise NotCells("the table has no rows")

    notes = []
    dropped = _drop_empty_ends(lines)
    if mark != ",":
        _agree(lines, mark)
        notes.append(f"the case table is read with the {_MARKS[mark]} as separator")

    if dropped:
        noun = "column" if dropped == 1 else "columns"
        notes.append(f"{dropped} {noun} without name or content at the end of the case table")

    return Cells(lines[0][1], lines[1:], tuple(notes))


def _mark(text: str) -> str:
    """Return what separates the columns: the mark that lets the header name those needed."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    found = {}
    for mark in _MARKS:
        try:
            cells = next(csv.reader([first], delimiter=mark, strict=True), [])
        except csv.Error:
            cells = []

        found[mark] = [cell.strip() for cell in cells]

    named = [mark for mark, cells in found.items() if all(name in cells for name in _NEEDED)]
    return named[0] if named else max(_MARKS, key=lambda mark: len(found[mark]))


def _read(text: str, mark: str) -> list[Line]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    lines: list[Line] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append((reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as error:
        raise NotCells(f"line {reader.line_num} is not CSV: {error}") from None

    return lines


def _agree(lines: list[Line], mark: str) -> None:
    """Refuse a table whose lines have different numbers of cells by a mark other than the comma."""
    wanted = len(lines[0][1])
    for number, cells in lines:
        if len(cells) != wanted:
            raise NotCells(
                f"line {number} has {len(cells)} cells, the header has {wanted}, where a "
                f"{_MARKS[mark]} separates them: write the table with commas"
            )


def _drop_empty_ends(lines: list[Line]) -> int:
    """Drop cells at the end of every line that lie beyond the last one with content.

    Returns:
        How many columns were dropped.
    """
    last = max(_content(cells) for _, cells in lines)
    named = _content(lines[0][1])
    dropped = max(len(cells) for _, cells in lines) - max(last, named)
    for _, cells in lines:
        del cells[max(last, named) :]

    return dropped


def _content(cells: list[str]) -> int:
    return max((place for place, cell in enumerate(cells, start=1) if cell), default=0)


__all__ = ["Cells", "Line", "NotCells", "split"]
