"""Keeps the fold of a run beside its ledger, so that opening it again reads the newer events only.

A cache, and never more: it counts only where its own digest is right, the same program wrote it and
the ledger holds the event it was taken at; else it is as if it were not there. `verify` and
`replay` do not look at it. Unpickling makes nothing but values of our own events and projections.
"""

import io
import pickle
import sys
from pathlib import Path
from typing import Any

import orjson
from blake3 import blake3

from ledger.record import Head, Since
from projections.run import RunState
from runtime.past import Past

NAME = "snapshot"
"""The file, in the folder of a run."""

_FORM = b"AMID snapshot 1\n"
_MODULES = ("ledger.events.", "ledger.blobfsck", "projections.")


def put(run: Path, past: Past, since: Since, program: str) -> None:
    """Keep a fold as of an event, whole or not at all; where that fails, none is kept.

    Args:
        run: The folder of the run.
        past: The fold, settled.
        since: The event it was folded up to.
        program: Digest of the program, which another one does not understand.
    """
    _bind(past.state)
    content = _freeze((past.state, past.named, past.spans, past.last))
    head = {
        "seq": since.head.seq,
        "hash": since.head.hash.hex(),
        "term": since.term,
        "run": since.run.hex(),
        "program": _program(program),
    }
    rest = orjson.dumps(head) + b"\n" + content
    part = run / f".{NAME}.part"

    try:
        part.write_bytes(_FORM + blake3(rest).hexdigest().encode() + b"\n" + rest)
        part.replace(run / NAME)
    except OSError:
        part.unlink(missing_ok=True)


def get(run: Path, program: str) -> Past:
    """Return the fold that was kept last, to be compared with the ledger; an empty one at doubt."""
    try:
        whole = (run / NAME).read_bytes()
        form, digest, rest = whole[: len(_FORM)], *whole[len(_FORM) :].split(b"\n", 1)

        if form != _FORM or blake3(rest).hexdigest().encode() != digest:
            return Past()

        line, content = rest.split(b"\n", 1)
        head = orjson.loads(line)

        if head["program"] != _program(program):
            return Past()

        since = Since(
            Head(head["seq"], bytes.fromhex(head["hash"])), head["term"], bytes.fromhex(head["run"])
        )
        state, named, spans, last = _thaw(content)
        _bind(state)
    except Exception:
        return Past()

    return Past(since=since, state=state, named=named, spans=spans, last=last)


def _bind(state: RunState) -> None:
    """Let each entry of a state wait as bytes of its own until somebody asks for it."""
    for entries in state.entries():
        entries.bind(_freeze, _thaw)


def _freeze(value: object) -> bytes:
    return pickle.dumps(value, protocol=5)


def _thaw(content: bytes) -> Any:  # noqa: ANN401 - whatever was kept
    return _Reader(io.BytesIO(content)).load()


class _Reader(pickle.Unpickler):
    """Makes values of our own classes only: no function is called, no other module touched."""

    def find_class(self, module: str, name: str) -> type:
        """Return one of our own classes.

        Raises:
            pickle.UnpicklingError: it is something else.
        """
        found = getattr(sys.modules.get(module), name, None)

        if not module.startswith(_MODULES) or not isinstance(found, type):
            raise pickle.UnpicklingError(f"{module}.{name} has no place in a snapshot")

        return found


def _program(digest: str) -> str:
    return f"{digest} {sys.version}"


__all__ = ["NAME", "get", "put"]
