"""Which blobs a stored event names."""

from collections.abc import Iterator
from typing import Literal

from ledger.events.base import blobs_of
from ledger.events.stored import BodyUnfit, UnknownEvent, from_record
from ledger.record import Record


def references(record: Record) -> Iterator[tuple[str, Literal["file", "manifest"]]]:
    """Yield every blob digest of a record, with `manifest` for one that lists further blobs.

    An event that cannot be understood yields nothing here; `replay.verify` names it.
    """
    try:
        event = from_record(record)
    except (UnknownEvent, BodyUnfit):
        return

    yield from blobs_of(event)


__all__ = ["references"]
