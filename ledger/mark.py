"""The last head that a folder had, kept beside its ledger: shows a ledger that was cut or put back.

Whoever can write the folder can write this file too. It is a guard against mistakes, such as an
older copy of the one file; a head that was kept elsewhere is evidence.
"""

import os
import re
from pathlib import Path

from ledger.errors import LedgerDamaged
from ledger.record import Head

NAME = "head"
"""The file, in the folder of the ledger: `SEQ:HASH`."""

_FORM = re.compile(rb"([1-9][0-9]{0,18}):([0-9a-f]{64})\n")


def put(folder: Path, head: Head) -> None:
    """Keep a head, whole or not at all."""
    part = folder / f".{NAME}.part"
    with part.open("wb") as stream:
        stream.write(f"{head.seq}:{head.hash.hex()}\n".encode())
        stream.flush()
        os.fsync(stream.fileno())

    part.replace(folder / NAME)


def get(folder: Path) -> Head | None:
    """Return the head that was kept last; None where none was.

    Raises:
        LedgerDamaged: the file is there and holds something else.
    """
    path = folder / NAME
    if not os.path.lexists(path):
        return None

    found = _FORM.fullmatch(path.read_bytes()) if path.is_file() else None
    if found is None:
        raise LedgerDamaged(path, "it must hold the last head, SEQ:HASH, and holds something else")

    return Head(int(found[1]), bytes.fromhex(found[2].decode()))


__all__ = ["NAME", "get", "put"]
