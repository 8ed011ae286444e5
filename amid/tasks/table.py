"""Reads the case table: which files belong to which case, patient and side of the test split.

Paths are checked as text here; whether the files exist and agree is the inventory's business.
"""

import csv
import difflib
import io
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from amid import files
from amid.errors import SHOWN, GroupLeak, TableWrong, TaskMissing, from_os_error
from amid.tasks.contract import Contract

Side = Literal["train", "test"]

_LONGEST = 200
"""Bytes of a case's name; with its suffix it is a file's name, which ends at 255."""
_ALIKE = str.maketrans(
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422"
    "\u0423\u0425\u0430\u0435\u0455\u0456\u0458\u043e\u0440\u0441\u0443\u0445\u0391"
    "\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03bf",
    "ABESIJKMHOPCTYXaesijopcyxABEZHIKMNOPTYXo",
)
"""Cyrillic and Greek letters to the Latin ones that nobody can tell them from."""


@dataclass(frozen=True, slots=True)
class Row:
    """One case as the table names it."""

    number: int
    """Line of the file, the header being line 1."""
    case: str
    patient: str
    group: str
    split: Side
    images: Mapping[str, str]
    """Channel to path relative to the data root, in the contract's order."""
    label: str | None
    """Path relative to the data root; None where the cell is empty (test cases only)."""
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """The case table, in the order of its file."""

    name: str
    rows: tuple[Row, ...]


def read(contract: Contract, task_dir: Path) -> Table:
    """Read the case table that a contract names.

    Raises:
        TaskMissing: there is no such file.
        TableWrong: a column is missing, or rows contradict each other or themselves.
        GroupLeak: a patient or group stands on both sides of the test split.
    """
    path = task_dir / contract.data.cases
    name = str(path)
    header, lines = _cells(name, _text(path))
    _check_header(name, header, contract)

    problems: list[str] = []
    rows = [
        row
        for number, cells in lines
        if (row := _row(number, cells, header, contract, problems)) is not None
    ]
    problems += _repeats(rows)
    problems += _lookalikes(rows)
    if problems:
        raise _wrong(name, problems)

    _check_groups(name, rows, contract.data.group)
    if not any(row.split == "train" for row in rows):
        raise _wrong(name, ['no row has split "train", so there is nothing to learn from'])

    return Table(name=name, rows=tuple(rows))


def _text(path: Path) -> str:
    try:
        return files.read(path).decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        raise TaskMissing(
            f"the case table {path.name} is not there",
            where=str(path),
            why="it says which image and label belong to which patient",
            do="write it, or correct [data] cases in task.toml",
        ) from None
    except UnicodeDecodeError as error:
        raise _wrong(str(path), [f"the file is not UTF-8 at byte {error.start}"]) from None
    except OSError as error:
        raise from_os_error(error, doing="reading the case table", place=path) from error


def _cells(name: str, text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines: list[tuple[int, list[str]]] = []

    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append((reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as error:
        raise _wrong(name, [f"line {reader.line_num} is not CSV: {error}"]) from None

    if len(lines) < 2:
        raise _wrong(name, ["the table has no rows"])

    return lines[0][1], lines[1:]


def _check_header(name: str, header: list[str], contract: Contract) -> None:
    data = contract.data
    wanted = ["case", "split", data.group, *data.images]
    wanted += [data.label] if contract.task.kind == "segmentation" else []
    wanted += _attributes(contract)

    problems = [
        f'column "{column}" is missing{_near(column, header)}'
        for column in dict.fromkeys(wanted)
        if column not in header
    ]
    problems += [
        f'column "{column}" stands in the header twice'
        for column in dict.fromkeys(header)
        if header.count(column) > 1
    ]
    if len(header) == 1 and any(mark in header[0] for mark in ";\t"):
        problems = ["the columns are not separated by commas"]

    # their values stand in events and reports, where a patient's id must not
    problems += [
        f'"{column}" in [validation] stratify, report_by or by is not a property that cases share'
        for column in _attributes(contract)
        if column in (data.label, "case", "patient", *data.images)
    ]

    if problems:
        raise _wrong(name, problems)


def _near(column: str, header: list[str]) -> str:
    near = difflib.get_close_matches(column, header, n=1, cutoff=0.6)
    return f': did you mean "{near[0]}"?' if near else f"; it has {', '.join(header)}"


def _attributes(contract: Contract) -> list[str]:
    validation = contract.validation
    by = [validation.by] if validation.by is not None else []
    return list(dict.fromkeys([*validation.stratify, *validation.report_by, *by]))


def _row(
    number: int, cells: list[str], header: list[str], contract: Contract, problems: list[str]
) -> Row | None:
    """Return the row, or None after adding to `problems` why there is none."""
    data = contract.data
    if len(cells) != len(header):
        problems.append(f"line {number} has {len(cells)} cells, the header has {len(header)}")
        return None

    cell = dict(zip(header, cells, strict=True))
    needed = ["case", "split", data.group, *data.images, *_attributes(contract)]
    bad = [f'line {number}: the cell "{name}" is empty' for name in needed if not cell[name]]
    if cell["split"] and cell["split"] not in ("train", "test"):
        bad.append(f'line {number}: split is "{cell["split"]}"; allowed: train, test')

    paths = [*data.images, *([data.label] if cell.get(data.label) else [])]
    bad += [
        f'line {number}: {name} = "{cell[name]}" is not a path inside the data folder'
        for name in paths
        if cell[name] and not _inside(cell[name])
    ]
    if cell["case"] and not _name(cell["case"]):
        bad.append(f'line {number}: case "{cell["case"][:60]}" cannot be a file name')

    bad += [
        f"line {number}: {name} = {cell[name]!a} holds a character that cannot be seen"
        for name in dict.fromkeys(("patient", data.group, *_attributes(contract)))
        if not cell.get(name, "").isprintable()
    ]

    problems += bad
    if bad:
        return None

    return Row(
        number=number,
        case=cell["case"],
        patient=cell.get("patient") or cell[data.group],
        group=cell[data.group],
        split=cast(Side, cell["split"]),
        images={channel: cell[channel] for channel in data.images},
        label=cell.get(data.label) or None,
        attributes={name: cell[name] for name in _attributes(contract)},
    )


def _inside(path: str) -> bool:
    parts = path.split("/")
    return not (
        path.startswith(("/", "~"))
        or "\\" in path
        or ":" in parts[0]
        or any(part in ("", ".", "..") for part in parts)
        or not path.isprintable()
    )


def _name(case: str) -> bool:
    return (
        case.isprintable()
        and len(case.encode()) <= _LONGEST
        and not case.startswith(".")
        and not set(case) & set('/\\:*?"<>|')
    )


def _repeats(rows: list[Row]) -> Iterator[str]:
    """Yield cases listed twice, and files that two cells share."""
    seen: dict[str, int] = {}
    for row in rows:
        if row.case in seen:
            yield f'line {row.number}: case "{row.case}" is already on line {seen[row.case]}'
        else:
            seen[row.case] = row.number

    used: dict[str, int] = {}
    for row in rows:
        for path in (*row.images.values(), *([row.label] if row.label is not None else [])):
            if path in used:
                yield f'line {row.number}: "{path}" is already used on line {used[path]}'
            else:
                used[path] = row.number


def _lookalikes(rows: list[Row]) -> Iterator[str]:
    """Yield names that look like another's: two patients to a program, one to whoever reads."""
    for kind in ("case", "patient", "group"):
        first: dict[str, Row] = {}
        for row in rows:
            name = str(getattr(row, kind))
            other = first.setdefault(_looks(name), row)
            if getattr(other, kind) != name:
                yield (
                    f"line {row.number}: {kind} {name!a} looks like "
                    f"{getattr(other, kind)!a} on line {other.number}"
                )


def _looks(name: str) -> str:
    return unicodedata.normalize("NFKC", name).translate(_ALIKE)


def _check_groups(name: str, rows: list[Row], column: str) -> None:
    found: list[str] = []
    for kind in ("group", "patient"):
        first: dict[str, Row] = {}
        for row in rows:
            key = row.group if kind == "group" else row.patient
            other = first.setdefault(key, row)
            word = column if kind == "group" else "patient"
            if other.split != row.split:
                found.append(
                    f'{word} "{key}" is {other.split} on line {other.number} ({other.case}) '
                    f"and {row.split} on line {row.number} ({row.case})"
                )
            elif other.group != row.group:
                found.append(
                    f'{word} "{key}" is in {column} "{other.group}" on line {other.number} '
                    f'and in "{row.group}" on line {row.number}'
                )

    if found:
        raise GroupLeak(
            _several(list(dict.fromkeys(found)), "groups stand on two sides"),
            where=name,
            why="whoever has seen a patient answers better about that one than about new ones",
            do="give all rows of one patient the same split and the same group",
        )


def _wrong(name: str, problems: list[str]) -> TableWrong:
    return TableWrong(
        _several(problems, "mistakes in the case table"),
        where=name,
        why="a row that is misread puts a wrong file, label or patient into training or test",
        do="correct the table; its columns are described under [data] in task.toml",
    )


def _several(problems: list[str], noun: str) -> str:
    if len(problems) == 1:
        return problems[0]

    lines = [f"{len(problems)} {noun}", *(f"  - {problem}" for problem in problems[:SHOWN])]
    if len(problems) > SHOWN:
        lines.append(f"  … and {len(problems) - SHOWN} more")

    return "\n".join(lines)


__all__ = ["Row", "Side", "Table", "read"]
