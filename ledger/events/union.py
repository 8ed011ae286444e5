"""The catalogue of all events: stored name and version to class, and back."""

from collections.abc import Mapping
from typing import Any

from ledger.events import data, job, review, run, work
from ledger.events.base import Fact, type_of

_FAMILIES = (run, data, work, job, review)

CATALOGUE: Mapping[str, type[Fact]] = {
    type_of(cls): cls
    for family in _FAMILIES
    for cls in vars(family).values()
    if isinstance(cls, type) and issubclass(cls, Fact) and cls is not Fact
}
"""Stored name to the class of its current version."""


def parse(type_name: str, body: bytes) -> Fact:
    """Return the event for stored body bytes (already at the current version).

    Raises:
        KeyError: the type is not in the catalogue.
        pydantic.ValidationError: the body does not fit the class.
    """
    return CATALOGUE[type_name].model_validate_json(body)


def dump(event: Fact) -> dict[str, Any]:
    """Return the body to be stored: plain JSON types, without `type` (it is in the envelope)."""
    body = event.model_dump(mode="json")
    del body["type"]
    return body


__all__ = ["CATALOGUE", "dump", "parse"]
