"""Plain JSON values as text for people: names with values, and tables for lists of records."""

import re
from collections.abc import Iterator, Mapping, Sequence

LONG = re.compile(r"(?<![\w.])-?\d+\.\d{5,}(?![\w.])")
"""A real number with more digits than a person compares; `--json` has them all."""

DIGEST = re.compile(r"[0-9a-f]{40,}")

WIDTH, LAST = 48, 100
"""Longest cell of a table, and of its last column; the whole value is in `--json`."""


def shortened(text: str) -> str:
    """Return a text with its long numbers cut to four decimals."""
    return LONG.sub(lambda found: f"{float(found[0]):.4f}", text)


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
                yield from (f"{pad}  {line}" for line in value.rstrip().split("\n"))
            case _:
                yield f"{pad}{name + ':':<{width}}{_cell(value)}".rstrip()


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
    most = [WIDTH] * (len(names) - 1) + [LAST] * bool(names)
    for record in records:
        cells.append([_short(_cell(record.get(n)), w) for n, w in zip(names, most, strict=True)])

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
            return "; ".join(_cell(inner) for inner in value) or "–"
        case "":
            return "–"
        case str() if LONG.fullmatch(value):
            return shortened(value)
        case _:
            return str(value)


def _short(text: str, width: int) -> str:
    text = " ".join(text.split())
    if DIGEST.fullmatch(text):
        return text[:12]

    return text if len(text) <= width else text[: width - 1] + "…"


def _is_scalar(value: object) -> bool:
    return not isinstance(value, Mapping | list | tuple)
