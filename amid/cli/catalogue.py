"""The catalogue of events as people and other languages read it: fields, words, JSON Schema."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ledger.events.base import Fact
from ledger.events.union import CATALOGUE


@dataclass(frozen=True, slots=True)
class Entry:
    """One event type."""

    type: str
    v: int
    says: str
    fields: tuple[str, ...]
    schema: dict[str, Any]
    """JSON Schema of the stored body; the type's name stands in the envelope, not here."""


def entries() -> tuple[Entry, ...]:
    """Return every event type, in the order of the families."""
    return tuple(_entry(name, cls) for name, cls in CATALOGUE.items())


def families() -> Iterator[tuple[str, tuple[Entry, ...]]]:
    """Yield the part of the names before the dot with its events, sorted."""
    by_family: dict[str, list[Entry]] = {}
    for entry in entries():
        by_family.setdefault(entry.type.partition(".")[0], []).append(entry)

    for family in sorted(by_family):
        yield family, tuple(sorted(by_family[family], key=lambda entry: entry.type))


def _entry(name: str, cls: type[Fact]) -> Entry:
    schema = cls.model_json_schema()
    schema["properties"].pop("type")
    says = inspect.getdoc(cls) or ""
    return Entry(
        type=name,
        v=cls.v,
        says=" ".join(says.split("\n\n")[0].split()),
        fields=tuple(field for field in cls.model_fields if field != "type"),
        schema=schema,
    )
