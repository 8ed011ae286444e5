"""What every event body is made of: the frozen base class and the field types."""

import math
from collections.abc import Iterator
from functools import cache
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""BLAKE3-256 of a blob or of an event body, lowercase hex."""

Blob = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", json_schema_extra={"blob": "file"})]
"""Digest of a blob that must be in the blob store."""

ManifestBlob = Annotated[
    str, Field(pattern=r"^[0-9a-f]{64}$", json_schema_extra={"blob": "manifest"})
]
"""Digest of a blob holding a JSON list of {path, digest, bytes}; each digest is a blob too."""

GitId = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
"""SHA-1 object name of a git commit or tree."""

Real = Annotated[str, Field(pattern=r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?(e-?[1-9][0-9]*)?$")]
"""A real number as its shortest decimal string; see `real`."""

Whole = Annotated[int, Field(ge=-(2**53) + 1, le=2**53 - 1)]
"""An integer that every JSON reader keeps exactly."""


class Part(BaseModel):
    """A value inside an event body: frozen, strict, without unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


class Fact(Part):
    """An event body. It makes up nothing: every value is given by who appends it."""

    type: str
    v: ClassVar[int] = 1


def real(value: float) -> str:
    """Return the shortest decimal string that reads back as the same double.

    Raises:
        ValueError: value is NaN or infinite; an undefined score is a status, not a number.
    """
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number: record a status with a reason instead")

    if value == int(value) and abs(value) < 2**53:
        return str(int(value))

    text = repr(float(value))
    return text.replace("e+", "e").replace("e-0", "e-") if "e" in text else text


def type_of(cls: type[Fact]) -> str:
    """Return the stored name of an event class, such as `review.verdict_given`."""
    literal = cls.model_fields["type"].annotation
    (name,) = get_args(literal)
    return str(name)


def blobs_of(part: Part) -> Iterator[tuple[str, Literal["file", "manifest"]]]:
    """Yield every blob digest a value names, nested parts included, in field order."""
    for name, kind in _fields_that_name(type(part)):
        value = getattr(part, name)

        if kind is not None:
            if value is not None:
                yield str(value), kind

            continue

        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Part):
                yield from blobs_of(item)


@cache
def _fields_that_name(
    cls: type[Part],
) -> tuple[tuple[str, Literal["file", "manifest"] | None], ...]:
    """Return the fields that are a blob, with its kind, or hold parts in which one may stand."""
    fields = [(name, field, _blob_kind(field)) for name, field in cls.model_fields.items()]
    return tuple(
        (name, kind)
        for name, field, kind in fields
        if kind is not None or any(map(_fields_that_name, _parts_in(field.annotation)))
    )


def _parts_in(annotation: object) -> Iterator[type[Part]]:
    """Yield every class of parts that an annotation speaks of."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        yield annotation

    for inner in get_args(annotation):
        yield from _parts_in(inner)


def _blob_kind(field: FieldInfo) -> Literal["file", "manifest"] | None:
    hints = [field, *field.metadata, *_inner_fields(field)]
    for hint in hints:
        extra = getattr(hint, "json_schema_extra", None)
        if isinstance(extra, dict) and extra.get("blob") in ("file", "manifest"):
            return "file" if extra["blob"] == "file" else "manifest"

    return None


def _inner_fields(field: FieldInfo) -> Iterator[object]:
    """Yield the metadata inside `Blob | None`, which pydantic leaves on the member type."""
    for member in get_args(field.annotation):
        yield from getattr(member, "__metadata__", ())


__all__ = [
    "Blob",
    "Digest",
    "Fact",
    "GitId",
    "ManifestBlob",
    "Part",
    "Real",
    "Whole",
    "blobs_of",
    "real",
    "type_of",
]
