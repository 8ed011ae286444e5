"""The key of a request: what names its worktree, job folder and scheduler job for all epochs."""

from ledger.canonical import encode
from ledger.events.base import Fact
from ledger.events.union import dump
from ledger.hashing import body_hash


def key_of(request: Fact) -> str:
    """Return the body hash of a request without its `epoch`, as 64 hex digits."""
    body = dump(request)
    body.pop("epoch", None)
    return body_hash(encode(body)).hex()


__all__ = ["key_of"]
