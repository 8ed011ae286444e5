"""Words, glyphs and numbers as the report writes them. Colour never stands alone."""

from amid.words.tables import shortened
from ledger.events.data import Score

STANDING = {
    "accept": ("✓", "accepted"),
    "flag": ("!", "flagged"),
    "reject": ("✗", "rejected"),
    "failed": ("✗", "failed"),
    "void": ("✗", "void"),
    "open": ("?", "open"),
}
"""How an attempt stands: glyph and word."""

OUTCOME = {
    "reject": ("✗", "bars the attempt"),
    "flag": ("!", "flagged"),
    "note": ("i", "noted"),
    "pass": ("✓", "passed"),
    "unchecked": ("?", "not checked"),
}
"""What a check said: glyph and word, worst first."""

ASSURANCE = {
    "sealed": "sealed (confined, and in namespaces of its own: processes, mounts, queues, network)",
    "confined": "confined (to its inputs and the system's programs; what it opened is recorded)",
    "unrecorded": "unrecorded (shut in, but the record of what it opened is not complete)",
    "none": "none (nothing kept it from any file)",
}
"""How well a job was shut in: the recorded word with its meaning."""


def number(value: str | None) -> str:
    """Return a score for people; an undefined one is a word."""
    return "undefined" if value is None else f"{float(value):.4f}"


def interval(score: Score | None) -> str:
    """Return value and 95 % interval."""
    if score is None:
        return "—"

    if score.value is None:
        return f"undefined ({score.status})"

    if score.low is None or score.high is None:
        return f"{number(score.value)} (no interval)"

    return f"{number(score.value)} [{number(score.low)}, {number(score.high)}]"


def better(direction: str) -> str:
    """Return which way is good."""
    return "higher is better" if direction == "maximize" else "lower is better"


def lasting(microseconds: int) -> str:
    """Return a time span: seconds, or minutes and hours where it is long."""
    seconds = microseconds / 1e6
    if seconds < 120:
        return f"{seconds:.1f} s"

    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count} {one if count == 1 else many or one + 's'}"


__all__ = [
    "ASSURANCE",
    "OUTCOME",
    "STANDING",
    "better",
    "interval",
    "lasting",
    "number",
    "plural",
    "shortened",
]
