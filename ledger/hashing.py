"""Which bytes are hashed for an event; laid out in docs/reference/ledger-format.md."""

import struct

from blake3 import blake3

SIZE = 32
"""Bytes of a BLAKE3 digest."""

NO_EVENT = bytes(SIZE)
"""What stands as `prev` in the first event."""

_NUMBERS = struct.Struct(">QQq")
_WORD = struct.Struct(">I")


def body_hash(body: bytes) -> bytes:
    """Return the digest of a stored body."""
    return blake3(b"body v1" + body).digest()


def event_hash(
    *,
    run: bytes,
    seq: int,
    term: int,
    at_us: int,
    prev: bytes,
    type: str,
    v: int,
    cmd: str,
    body_hash: bytes,
) -> bytes:
    """Return the digest of an event: everything a reader may use is under it.

    Args:
        run: the 16 bytes of the run id in force.
        seq: position in the log, from 1.
        term: the writer's lease.
        at_us: microseconds since 1970, UTC, as the writer's clock said.
        prev: the hash of the event before, 32 zero bytes for the first.
        type: stored name of the event.
        v: version of its body.
        cmd: command id.
        body_hash: digest of the stored body.

    Raises:
        ValueError: a part does not have its fixed width, or a number does not fit.
    """
    if len(run) != 16 or len(prev) != SIZE or len(body_hash) != SIZE:
        raise ValueError("run has 16 bytes, prev and body_hash have 32")

    try:
        numbers = _NUMBERS.pack(seq, term, at_us)
        tail = _text(type) + _WORD.pack(v) + _text(cmd)
    except struct.error as error:
        raise ValueError(f"a number does not fit its place: {error}") from error

    return blake3(b"event v1" + run + numbers + prev + tail + body_hash).digest()


def command_id(seq: int, type: str, v: int, body: bytes) -> str:
    """Return the command id of an event that came without one, as lowercase hex.

    It is bound to the place in the log, so the same decision on top of the same event is the same
    command, and the same words later are another.
    """
    tail = struct.pack(">Q", seq) + _text(type) + _WORD.pack(v) + body_hash(body)
    return blake3(b"command v1" + tail).hexdigest()


def _text(value: str) -> bytes:
    data = value.encode()
    return _WORD.pack(len(data)) + data


__all__ = ["NO_EVENT", "SIZE", "body_hash", "command_id", "event_hash"]
