"""Reads the case table: which files belong to which case, patient and side of the test split.

Paths are checked as text here; whether the files exist and agree is the inventory's business.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, cast

from amid.errors import GroupLeak, TableWrong, TaskMissing, from_os_error
from amid.tasks import cells as text_cells
from amid.tasks import files, kinds, names
from amid.tasks.contract import Contract

Side = Literal["train", "test"]

_LONGEST = 200
"""Bytes of a case's name; with its suffix it is a file's name, which ends at 255."""


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
    """Path relative to the data root, or the label itself; None where the cell is empty (test cases
    only)."""
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """The case table, in the order of its file."""

    name: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    """What was read in another way than it was written."""


def read(contract: Contract, task_dir: Path) -> Table:
    """Read the case table that a contract names.

    Raises:
        TaskMissing: there is no such file.
        TableWrong: a column is missing, or rows contradict each other or themselves.
        GroupLeak: a patient or group stands on both sides of the test split.
    """
    path = task_dir / contract.data.cases
    name = str(path)
    try:
        read = text_cells.split(_text(path))
    except text_cells.NotCells as error:
        raise _wrong(name, [str(error)]) from None

    header = read.header
    _check_header(name, header, contract)

    problems: list[str] = []
    rows = [
        row
        for number, cells in read.lines
        if (row := _row(number, cells, header, contract, problems)) is not None
    ]
    problems += _repeats(rows, label_is_file=kinds.contract_part(contract.task.kind).LABEL_IS_FILE)
    twins = list(_lookalikes(rows, contract))
    if problems or twins:
        raise _wrong(name, [*problems, *twins], do=_TWINS if twins else _CORRECT)

    _check_groups(name, rows, contract.data.group)
    if not any(row.split == "train" for row in rows):
        raise _wrong(name, ['no row has split "train", so there is nothing to learn from'])

    return Table(name=name, rows=tuple(rows), notes=read.notes)


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


def _check_header(name: str, header: list[str], contract: Contract) -> None:
    data = contract.data
    wanted = ["case", "split", data.group, *data.images]
    wanted += [data.label]
    wanted += [*_attributes(contract), *data.distinct]

    problems = [
        f'column "{column}" is missing{_near(column, header)}'
        for column in dict.fromkeys(wanted)
        if column not in header
    ]
    problems += [
        f'column "{column}" stands in the header twice'
        for column in dict.fromkeys(header)
        if column and header.count(column) > 1
    ]

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
    asked = kinds.contract_part(contract.task.kind)
    labelled = bool(cell.get(data.label))
    paths = [*data.images, *([data.label] if labelled and asked.LABEL_IS_FILE else [])]
    for column in paths:
        while cell[column].startswith("./"):
            cell[column] = cell[column].removeprefix("./").lstrip("/")

    needed = ["case", "split", data.group, *data.images, *_attributes(contract)]
    bad = [f'line {number}: the cell "{name}" is empty' for name in needed if not cell[name]]
    bad += [
        f'line {number}: the cell "{name}" is "{cell[name]}", which stands for nothing'
        for name in dict.fromkeys((*needed, "patient", *paths))
        if names.no_value(cell.get(name, ""))
        and (name == data.group or name not in _attributes(contract))
    ]
    if cell["split"] and cell["split"] not in ("train", "test"):
        drawn = "; validation is drawn from train" if cell["split"][:3].casefold() == "val" else ""
        bad.append(f'line {number}: split is "{cell["split"]}"; allowed: train, test{drawn}')

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

    wrong = asked.label_mistake(contract, cell[data.label]) if labelled else None
    bad += [f"line {number}: {data.label} {wrong}"] if wrong else []

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


def _repeats(rows: list[Row], *, label_is_file: bool) -> Iterator[str]:
    """Yield cases listed twice, and files that two cells share."""
    seen: dict[str, int] = {}
    for row in rows:
        if row.case in seen:
            yield f'line {row.number}: case "{row.case}" is already on line {seen[row.case]}'
        else:
            seen[row.case] = row.number

    used: dict[str, int] = {}
    for row in rows:
        label = (row.label,) if label_is_file and row.label is not None else ()
        for path in (*row.images.values(), *label):
            if path in used:
                yield f'line {row.number}: "{path}" is already used on line {used[path]}'
            else:
                used[path] = row.number


def _lookalikes(rows: list[Row], contract: Contract) -> Iterator[str]:
    """Yield names that look like another's: two patients to a program, one to whoever reads."""
    data = contract.data
    columns: dict[str, Callable[[Row], str]] = {data.group: lambda row: row.group}
    if any(row.patient != row.group for row in rows):
        columns["patient"] = lambda row: row.patient

    for attribute in _attributes(contract):
        columns.setdefault(attribute, partial(_attribute, attribute))

    # Two files of one name are lost on some systems, whatever their owner means by them.
    key = names.as_file if "case" in data.distinct else names.looks
    yield from _near_twins(rows, "case", lambda row: row.case, key)
    for column, value in columns.items():
        if column not in data.distinct:
            yield from _near_twins(rows, column, value, names.looks)


def _attribute(column: str, row: Row) -> str:
    return row.attributes[column]


def _near_twins(
    rows: list[Row], column: str, value: Callable[[Row], str], key: Callable[[str], object]
) -> Iterator[str]:
    """Yield each spelling that has the key of another one, once, with both lines."""
    first: dict[object, Row] = {}
    told: set[str] = set()
    for row in rows:
        name = value(row)
        other = first.setdefault(key(name), row)
        twin = value(other)
        if twin != name and name not in told:
            told.add(name)
            clash = column == "case" and names.as_file(name) == names.as_file(twin)
            says = "is, but for case or Unicode form, the file name" if clash else "looks like"
            yield f"line {row.number}: {column} {name!a} {says} {twin!a} on line {other.number}"


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
        what, listed = _several(list(dict.fromkeys(found)), "groups stand on two sides")
        raise GroupLeak(
            what,
            listed=listed,
            where=name,
            why="whoever has seen a patient answers better about that one than about new ones",
            do="give all rows of one patient the same split and the same group",
        )


_CORRECT = "correct the table; docs/case-table.md says what its columns hold"
_TWINS = (
    "write one name in one way; where two are meant, add the column to [data] distinct in "
    "task.toml, or, for cases that would be one file, rename one"
)


def _wrong(name: str, problems: list[str], *, do: str = _CORRECT) -> TableWrong:
    what, listed = _several(problems, "mistakes in the case table")
    return TableWrong(
        what,
        listed=listed,
        where=name,
        why="a row that is misread puts a wrong file, label or patient into training or test",
        do=do,
    )


def _several(problems: list[str], noun: str) -> tuple[str, tuple[str, ...]]:
    """Return the first sentence of an error, and what it lists."""
    if len(problems) == 1:
        return problems[0], ()

    return f"{len(problems)} {noun}", tuple(problems)


__all__ = ["Row", "Side", "Table", "read"]
