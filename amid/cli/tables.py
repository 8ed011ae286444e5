"""Plain JSON values as text for people: names with values, and tables for lists of records."""

import re
from collections.abc import Iterator, Mapping, Sequence

LONG = re.compile(r"-?\d+\.\d{6,}")
"""A real number with more digits than a person compares; `--json` has them all."""

WIDTH = 48
"""Longest cell of a table; the whole value is in `--json`."""


def text_of(content: Mapping[str, object], *, indent: int = 0) -> Iterator[str]:
    """Yield lines: scalars first come as they stand, nested values one step further in."""
    pad = " " * indent
    plain = [name for name, value in content.items() if _is_scalar(value)]
    width = max((len(name) for name in plain), default=0) + 2
    for name, value in content.items():
        match value:
            case Mapping():
                yield f"{pad}{name}:"
                yield from text_of({str(k): v for k, v in value.items()}, indent=indent + 2)
            case list() | tuple():
                yield from _list(name, value, indent)
            case str() if "\n" in value:
                yield f"{pad}{name}:"
                yield from (f"{pad}  {line}" for line in value.rstrip().splitlines())
            case _:
                yield f"{pad}{name + ':':<{width}}{_cell(value)}"


def _list(name: str, values: Sequence[object], indent: int) -> Iterator[str]:
    pad = " " * indent
    if not values:
        yield f"{pad}{name}: none"
    elif all(isinstance(value, Mapping) for value in values):
        yield f"{pad}{name}:"
        records = [dict(value) for value in values if isinstance(value, Mapping)]
        yield from (f"{pad}  {line}" for line in _table(records))
    else:
        yield f"{pad}{name}:"
        yield from (f"{pad}  {_cell(value)}" for value in values)


def _table(records: Sequence[Mapping[str, object]]) -> Iterator[str]:
    names = list(dict.fromkeys(name for record in records for name in record))
    cells = [[str(name) for name in names]]
    cells += [[_short(_cell(record.get(name))) for name in names] for record in records]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    for row in cells:
        yield "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()


def _cell(value: object) -> str:
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return ", ".join(f"{name}={_cell(inner)}" for name, inner in value.items())
        case list() | tuple():
            return "; ".join(_cell(inner) for inner in value)
        case str() if LONG.fullmatch(value):
            return f"{float(value):.5g}"
        case _:
            return str(value)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _is_scalar(value: object) -> bool:
    return not isinstance(value, Mapping | list | tuple)
