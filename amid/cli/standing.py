"""The standing of a run as people read it: the same facts as `--json`, with units and intervals."""

from collections.abc import Mapping
from typing import Any

ABOUT = {
    "units": "units (planned seconds of one core)",
    "nulls": "nulls (predictions made without looking at the image)",
}
"""Names that need a word of explanation."""


def told(status: Mapping[str, Any]) -> dict[str, object]:
    """Return a status with its scores rounded and its names explained."""
    content: dict[str, object] = {}
    for name, value in status.items():
        match name:
            case "nulls":
                content[ABOUT[name]] = [{**null, "score": _real(null["score"])} for null in value]
            case "attempts":
                content[name] = [_attempt(attempt) for attempt in value]
            case _:
                content[ABOUT.get(name, name)] = value

    return content


def _attempt(attempt: Mapping[str, Any]) -> dict[str, object]:
    low, high = attempt["low"], attempt["high"]
    return {
        "attempt": attempt["attempt"],
        "standing": attempt["standing"],
        "codes": attempt["codes"],
        "score": _real(attempt["score"]),
        "95 % interval": None if low is None else f"{_real(low)} to {_real(high)}",
    }


def _real(text: str | None) -> str | None:
    return None if text is None else f"{float(text):.4f}"
