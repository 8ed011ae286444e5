"""Canonical JSON of documents: sorted keys, no spaces, one way to write each number."""

import orjson
from pydantic import BaseModel


def to_bytes(document: BaseModel) -> bytes:
    """Return the bytes under which a document is stored as a blob."""
    return orjson.dumps(document.model_dump(mode="json"), option=orjson.OPT_SORT_KEYS)


__all__ = ["to_bytes"]
