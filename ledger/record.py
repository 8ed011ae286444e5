"""An event as it is stored, and as it is handed in."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from ledger.canonical import decode
from ledger.errors import FenceViolation
from ledger.hashing import NO_EVENT

_RUN = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to be appended."""

    type: str
    v: int
    body: bytes
    """Canonical JSON of an object; see `ledger.canonical.encode`."""
    cmd: str | None = None
    """What makes a repetition recognisable; None derives it from place and content."""


class Record(NamedTuple):
    """A stored event, column by column."""

    seq: int
    term: int
    at_us: int
    cmd: str
    type: str
    v: int
    prev: bytes
    body_hash: bytes
    hash: bytes
    body: bytes


class Head(NamedTuple):
    """The last event of a log; `seq` is 0 while there is none."""

    seq: int
    hash: bytes


class Since(NamedTuple):
    """Up to where a log was read before: what the next event must follow."""

    head: Head
    term: int
    run: bytes


EMPTY = Head(0, NO_EVENT)
"""The head of a log without events."""


def run_id(body: bytes) -> bytes:
    """Return the 16 bytes of the run id that the body of a first event names.

    Raises:
        FenceViolation: the body has no key `run` of 32 lowercase hex characters.
    """
    value = decode(body)
    run = value.get("run") if isinstance(value, dict) else None

    if not isinstance(run, str) or not _RUN.fullmatch(run):
        raise FenceViolation(
            "the first event", "its `run` must be the run id, 32 lowercase hex characters"
        )

    return bytes.fromhex(run)


__all__ = ["EMPTY", "Head", "NewEvent", "Record", "Since", "run_id"]
