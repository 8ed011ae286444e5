"""Walks stored rows from the first and says of each what does not add up. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from ledger import canonical, fence, hashing
from ledger.errors import FenceViolation
from ledger.record import EMPTY, Head, Record, Since, run_id

_COLUMNS: tuple[tuple[str, type], ...] = (
    ("seq", int),
    ("term", int),
    ("at_us", int),
    ("cmd", str),
    ("type", str),
    ("v", int),
    ("prev", bytes),
    ("body_hash", bytes),
    ("hash", bytes),
    ("body", bytes),
)


_TYPES = tuple(kind for _, kind in _COLUMNS)


class Fault(NamedTuple):
    """Something about one row that does not add up."""

    code: str
    """`EVENT_CHANGED`, `CHAIN_BROKEN`, or `EVENT_MALFORMED`."""
    seq: int
    says: str


class Walk:
    """Checks rows in the order of `seq`, remembering only the last one."""

    def __init__(self, since: Since | None = None) -> None:
        self.head: Head = EMPTY if since is None else since.head
        """The last row that was looked at."""
        self.term: int = 0 if since is None else since.term
        self.run: bytes | None = None if since is None else since.run
        """The run id in force; None before the first event, or when that does not name one."""
        self._started = since is not None

    def step(self, row: Sequence[object]) -> tuple[Record | None, list[Fault]]:
        """Check the next row; the record is None when the row cannot be read as one."""
        wrong = _misfits(row)
        if wrong:
            seq = row[0] if isinstance(row[0], int) else self.head.seq + 1
            self.head = Head(seq, self.head.hash)
            return None, [Fault("EVENT_MALFORMED", seq, "; ".join(wrong))]

        record = Record(*row)  # type: ignore[arg-type]  # checked column by column above
        faults = [*self._place(record), *self._content(record), *_unfit(record)]
        self.head = Head(record.seq, record.hash)
        self.term = max(self.term, record.term)
        return record, faults

    def _place(self, record: Record) -> list[Fault]:
        seq, expected = record.seq, self.head.seq + 1
        faults = []

        if seq != expected:
            gap = f"event {expected} is missing" if seq > expected else "its number is taken"
            faults.append(Fault("CHAIN_BROKEN", seq, gap))

        if record.prev != self.head.hash:
            before = f"event {self.head.seq}" if self.head.seq else "the empty log"
            faults.append(Fault("CHAIN_BROKEN", seq, f"its prev is not the hash of {before}"))

        if record.term < self.term:
            says = f"its term {record.term} is older than {self.term}, the term before it"
            faults.append(Fault("CHAIN_BROKEN", seq, says))

        return faults

    def _content(self, record: Record) -> list[Fault]:
        faults = []
        if hashing.body_hash(record.body) != record.body_hash:
            faults.append("its body is not what its body_hash says")

        try:
            canonical.decode(record.body)
            if not self._started:
                self._started = True
                self.run = run_id(record.body)
        except FenceViolation as error:
            faults.append(f"its body cannot be used: {error}")

        try:
            if self.run is not None and event_hash(record, self.run) != record.hash:
                faults.append("its columns are not what its hash says")
        except ValueError as error:
            faults.append(f"a column does not fit: {error}")

        return [Fault("EVENT_CHANGED", record.seq, says) for says in faults]


def _unfit(record: Record) -> list[Fault]:
    """Return what was never to be written, even where every hash is right."""
    faults = fence.column_faults(
        type=record.type,
        v=record.v,
        cmd=record.cmd,
        at_us=record.at_us,
        size=len(record.body),
    )
    return [Fault("EVENT_MALFORMED", record.seq, says) for says in faults]


def event_hash(record: Record, run: bytes) -> bytes:
    """Return the hash that a record must have in a run.

    Raises:
        ValueError: a column does not fit its place in the preimage.
    """
    return hashing.event_hash(
        run=run,
        seq=record.seq,
        term=record.term,
        at_us=record.at_us,
        prev=record.prev,
        type=record.type,
        v=record.v,
        cmd=record.cmd,
        body_hash=record.body_hash,
    )


def _misfits(row: Sequence[object]) -> list[str]:
    """Return which columns hold another type than they must."""
    if tuple(map(type, row)) == _TYPES and _is_text(row[3]) and _is_text(row[4]):
        return []

    return [
        f"{name} is stored as {type(value).__name__}"
        for (name, kind), value in zip(_COLUMNS, row, strict=True)
        if not isinstance(value, kind) or (kind is str and not _is_text(value))
    ]


def _is_text(value: object) -> bool:
    """Say whether text was valid UTF-8; readers let other bytes through as surrogates."""
    return isinstance(value, str) and (
        value.isascii() or not any("\ud800" <= mark <= "\udfff" for mark in value)
    )


__all__ = ["Fault", "Walk", "event_hash"]
