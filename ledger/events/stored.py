"""From an event class to what is stored, and back."""

import orjson

from ledger.canonical import encode
from ledger.errors import FenceViolation, LedgerError
from ledger.events import older as older  # registers its steps
from ledger.events import union
from ledger.events.base import Fact, type_of
from ledger.fence import fitted, text_fault
from ledger.record import NewEvent, Record
from ledger.upcast import current


class UnknownEvent(LedgerError):
    """A stored event has a type or version that this program does not know."""

    exit_code = 3

    def __init__(self, record: Record) -> None:
        super().__init__(
            f"Event {record.seq} is a {record.type} of version {record.v}, which this program does"
            " not know. It was not skipped, because a decision may rest on it. Use the version of"
            " amid-runtime that wrote the run, or a later one."
        )


class BodyUnfit(LedgerError):
    """A stored body does not fit the class of its type and version."""

    exit_code = 1

    def __init__(self, record: Record, because: str) -> None:
        super().__init__(
            f"Event {record.seq} ({record.type}) does not hold what such an event holds: {because}."
            " Its hash may still be right: then it was written so. Report it with the version"
            " named in run.started."
        )


def to_new(event: Fact, cmd: str | None = None) -> NewEvent:
    """Return an event in the form the ledger appends."""
    return NewEvent(type_of(type(event)), type(event).v, encode(union.dump(event)), cmd)


def fit(event: Fact) -> Fact:
    """Return an event whose text may be stored: what a job or an agent wrote is escaped in it.

    The same event where all of its text may be stored as it is.
    """
    body = union.dump(event)
    told = _fit(body)
    return event if told == body else union.parse(type_of(type(event)), orjson.dumps(told))


def _fit(value: object) -> object:
    match value:
        case str():
            return value if text_fault(value) is None else fitted(value)
        case list():
            return [_fit(item) for item in value]
        case dict():
            return {name: _fit(item) for name, item in value.items()}
        case _:
            return value


def from_record(record: Record) -> Fact:
    """Return the event of a stored record, brought to the current version.

    Raises:
        UnknownEvent: its type or version is not in the catalogue.
        BodyUnfit: its body does not fit the class.
    """
    try:
        version, body = current(record.type, record.v, record.body)
    except FenceViolation as error:
        raise BodyUnfit(record, str(error)) from error

    cls = union.CATALOGUE.get(record.type)

    if cls is None or cls.v != version:
        raise UnknownEvent(record)

    try:
        if b'"type":' in body and "type" in orjson.loads(body):
            raise BodyUnfit(record, "its body repeats the type")

        return cls.model_validate_json(body)
    except (ValueError, TypeError) as error:  # pydantic's and orjson's errors are ValueErrors
        raise BodyUnfit(record, " ".join(str(error).split())) from error


__all__ = ["BodyUnfit", "UnknownEvent", "fit", "from_record", "to_new"]
