"""What may be stored: the rule for each column of an event, and for the text in its body.

Written in docs/reference/ledger-format.md. A writer refuses what breaks a rule; a check names it.
"""

import re
import unicodedata
from collections.abc import Iterator

LARGEST_BODY = 1 << 20
"""Bytes of a body; what is larger belongs in a blob."""

LAST_US = 253_402_300_799_999_999
"""The last microsecond of the year 9999, which is as far as calendars of most programs reach."""

_TYPE = re.compile(r"[a-z0-9_.]{1,100}")
_CMD = re.compile(r"[!-~]{1,200}")

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What moves a cursor, reorders what a person reads, or is half of a character."""


def column_faults(*, type: str, v: int, cmd: str, at_us: int, size: int) -> Iterator[str]:
    """Yield what in the columns of an event may not be stored; `size` is that of its body."""
    if not _TYPE.fullmatch(type):
        yield f"type {type[:120]!r} is not made of 1 to 100 of a-z, 0-9, _ and ."

    if not 1 <= v < 2**32:
        yield f"version {v} is not one of 1 to 2^32 - 1"

    if not _CMD.fullmatch(cmd):
        yield f"command id {cmd[:220]!r} is not 1 to 200 visible ASCII characters"

    if not 0 <= at_us <= LAST_US:
        yield f"time {at_us} µs does not lie between the years 1970 and 9999"

    if size > LARGEST_BODY:
        yield f"a body of {size} bytes is larger than {LARGEST_BODY}; larger things are blobs"


def text_fault(text: str) -> str | None:
    """Return why a text may not stand in a body; None when it may."""
    if text.isascii() and text.isprintable():
        return None

    found = _STEERING.search(text)
    if found is not None:
        return _named(found[0])

    return None if unicodedata.is_normalized("NFC", text) else "it is not in Unicode form NFC"


def fitted(text: str) -> str:
    r"""Return a text as it may be stored: what may not is escaped (`\x1b`), the rest composed."""
    return unicodedata.normalize("NFC", escaped(text))


def escaped(text: str) -> str:
    r"""Return a text in which nothing steers a terminal: escape is written `\x1b`."""
    return _STEERING.sub(lambda found: _escape(found[0]), text)


def escaped_json(text: str) -> str:
    """Return the same JSON in which nothing steers a terminal: a reader gets equal values."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escape(mark: str) -> str:
    return f"\\x{ord(mark):02x}" if ord(mark) < 0x100 else f"\\u{ord(mark):04x}"


def _named(mark: str) -> str:
    if "\ud800" <= mark <= "\udfff":
        return "the text holds half of a surrogate pair"

    return f"it holds {_escape(mark)}, which steers a terminal or reorders what is read"


__all__ = [
    "LARGEST_BODY",
    "LAST_US",
    "column_faults",
    "escaped",
    "escaped_json",
    "fitted",
    "text_fault",
]
