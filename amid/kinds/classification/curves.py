"""ROC and reliability curves as SVG: deterministic, and readable aloud. Arrays in, text out."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SIDE = 300
LEFT, TOP = 52, 12
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")
"""Okabe and Ito's palette."""
DASHES = ("", "6 3", "2 3", "8 3 2 3")
BINS = 10


def roc(truth: Floats, shares: Floats, classes: Sequence[tuple[int, str]]) -> str:
    """Return a curve for each class: sensitivity against one minus specificity."""
    lines = []
    for place, name in classes:
        order = np.argsort(-shares[:, place], kind="stable")
        hit = truth[order, place]
        last = np.append(np.diff(shares[order, place]) != 0, True)
        found = np.append(0.0, np.cumsum(hit)[last]) / max(hit.sum(), 1)
        wrong = np.append(0.0, np.cumsum(1 - hit)[last]) / max((1 - hit).sum(), 1)
        lines.append((name, wrong, found))

    return _drawing("ROC curve", "1 − specificity", "sensitivity", lines, marks=False)


def reliability(truth: Floats, shares: Floats, classes: Sequence[tuple[int, str]]) -> str:
    """Return, for each class, how often it is there by tenths of the probability given."""
    lines = []
    for place, name in classes:
        bins = np.minimum((shares[:, place] * BINS).astype(np.intp), BINS - 1)
        held = [k for k in range(BINS) if np.any(bins == k)]
        given = np.asarray([shares[bins == k, place].mean() for k in held])
        there = np.asarray([truth[bins == k, place].mean() for k in held])
        lines.append((name, given, there))

    return _drawing("Reliability", "probability given", "how often it is there", lines, marks=True)


def _drawing(
    title: str, across: str, up: str, lines: Sequence[tuple[str, Floats, Floats]], *, marks: bool
) -> str:
    width, height = LEFT + SIDE + 190, TOP + SIDE + 46
    bottom = TOP + SIDE
    parts = [
        f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img">',
        f"<title>{escape(title)} of {escape(', '.join(name for name, _, _ in lines))}</title>",
        f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#888"/>',
        f'<path d="M{LEFT} {bottom}L{LEFT + SIDE} {TOP}" stroke="#bbb" stroke-dasharray="3 4"/>',
    ]
    for step in range(6):
        value, at = step / 5, round(SIDE * step / 5)
        parts.append(
            f'<text x="{LEFT + at}" y="{bottom + 16}" text-anchor="middle" font-size="11">'
            f"{value:g}</text>"
        )
        parts.append(
            f'<text x="{LEFT - 6}" y="{bottom - at + 4}" text-anchor="end" font-size="11">'
            f"{value:g}</text>"
        )

    middle = LEFT + SIDE // 2
    parts.append(
        f'<text x="{middle}" y="{bottom + 36}" text-anchor="middle" font-size="12">{across}</text>'
    )
    turned = f"rotate(-90 14 {TOP + SIDE // 2})"
    parts.append(
        f'<text x="14" y="{TOP + SIDE // 2}" text-anchor="middle" font-size="12" '
        f'transform="{turned}">{up}</text>'
    )
    for place, (name, x, y) in enumerate(lines):
        parts += _line(place, name, x, y, bottom, marks=marks)

    return "\n".join([*parts, "</svg>"])


def _line(place: int, name: str, x: Floats, y: Floats, bottom: int, *, marks: bool) -> list[str]:
    colour, dash = COLOURS[place % len(COLOURS)], DASHES[place // 2 % len(DASHES)]
    points = [(LEFT + SIDE * float(a), bottom - SIDE * float(b)) for a, b in zip(x, y, strict=True)]
    listed = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    key, right = TOP + 14 + 18 * place, LEFT + SIDE
    pen = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
    parts = [
        f'<polyline points="{listed}" {pen}/>',
        f'<path d="M{right + 14} {key}h26" {pen}/>',
        f'<text x="{right + 46}" y="{key + 4}" font-size="12">{escape(name)}</text>',
    ]
    if marks:
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in points]

    return parts


__all__ = ["reliability", "roc"]
