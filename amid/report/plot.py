"""Dot plots with intervals as SVG: deterministic, readable aloud, and good on paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

WIDTH = 860
ROW = 26
NAMES = 300
"""Room for the names on the left, in pixels."""
RIGHT = 70
TOP = 10


@dataclass(frozen=True, slots=True)
class Dot:
    """One row: a value with its 95 % interval."""

    name: str
    value: float
    low: float | None
    high: float | None
    kind: str
    """`accept`, `flag`, `reject`, `null` or `open`: shape and colour of the mark."""
    says: str
    """Read aloud and shown on hover."""


def dots(rows: Sequence[Dot], *, metric: str, better: str) -> str:
    """Return an SVG with one row for each dot, in the given order."""
    if not rows:
        return ""

    low, high = _range(rows)
    height = TOP + ROW * len(rows) + 44
    title = f"{metric} of {len(rows)} attempts and null models, {better}"
    marks = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="plot-title plot-desc">',
        f'<title id="plot-title">{escape(title)}</title>',
        f'<desc id="plot-desc">{escape(" ".join(row.says for row in rows))}</desc>',
        *_axis(low, high, height - 36, metric, better),
    ]
    for place, row in enumerate(rows):
        marks += _row(row, TOP + ROW * place + ROW // 2, low, high)

    return "\n".join([*marks, "</svg>"])


def _range(rows: Sequence[Dot]) -> tuple[float, float]:
    """Return the ends of the axis, on round numbers."""
    values = [x for row in rows for x in (row.value, row.low, row.high) if x is not None]
    low, high = min(values), max(values)
    step = _step(high - low)
    first, last = int(low // step), int(-(-high // step))
    return first * step, max(first + 1, last) * step


def _step(span: float) -> float:
    """Return a round distance between ticks: 1, 2 or 5 times a power of ten."""
    base = 10.0 ** (len(str(int(span))) - 1) if span >= 1 else 1.0
    while base > span and span > 0:
        base /= 10

    return next((base * k for k in (0.1, 0.2, 0.5) if span / (base * k) <= 8), base)


def _x(value: float, low: float, high: float) -> float:
    return NAMES + (WIDTH - NAMES - RIGHT) * (value - low) / (high - low)


def _axis(low: float, high: float, bottom: int, metric: str, better: str) -> list[str]:
    step = _step(high - low)
    ticks = [low + step * k for k in range(round((high - low) / step) + 1)]
    marks = []
    for tick in ticks:
        x = _x(tick, low, high)
        marks.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>')
        marks.append(_text("tick", x, bottom + 16, "middle", f"{tick:.4g}"))

    middle = (NAMES + WIDTH - RIGHT) / 2
    says = f"{metric} ({better}), dot and 95 % interval over groups"
    return [*marks, _text("tick", middle, bottom + 32, "middle", says)]


def _text(kind: str, x: float, y: float, anchor: str, says: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{escape(says)}</text>'


def _row(row: Dot, y: int, low: float, high: float) -> list[str]:
    x = _x(row.value, low, high)
    marks = [
        f'<g class="row {escape(row.kind)}"><title>{escape(row.says)}</title>',
        _text("name", NAMES - 12, y + 4, "end", row.name),
    ]
    if row.low is not None and row.high is not None:
        left, right = _x(row.low, low, high), _x(row.high, low, high)
        marks.append(f'<line class="bar" x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}"/>')

    marks.append(_mark(row.kind, x, y))
    value = _text("value", WIDTH - RIGHT + 10, y + 4, "start", f"{row.value:.4f}")
    return [*marks, f"{value}</g>"]


def _mark(kind: str, x: float, y: int) -> str:
    """Return a mark whose shape, not only its colour, tells the kind."""
    match kind:
        case "accept":
            return f'<circle class="mark" cx="{x:.1f}" cy="{y}" r="5.5"/>'
        case "reject":
            path = f"M{x - 5:.1f} {y - 5}l10 10m0 -10l-10 10"
            return f"<path class={quoteattr('mark cross')} d={quoteattr(path)}/>"
        case "null":
            return f'<rect class="mark" x="{x - 4.5:.1f}" y="{y - 4.5}" width="9" height="9"/>'
        case _:
            path = f"M{x:.1f} {y - 6}l6 6l-6 6l-6 -6z"
            return f"<path class={quoteattr('mark open')} d={quoteattr(path)}/>"


__all__ = ["Dot", "dots"]
