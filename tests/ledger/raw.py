"""What somebody with the file and another program can do: connections without our guards."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pysqlite3 import dbapi2

from ledger import schema

TRIGGERS = ("events_no_update", "events_no_delete", "events_in_order")


@contextlib.contextmanager
def raw(path: Path, *, guards: bool = True) -> Iterator[Any]:
    """Open a file past our code; without guards, drop the triggers and put them back after."""
    connection = dbapi2.connect(str(path), isolation_level=None)

    try:
        connection.execute("PRAGMA synchronous=OFF")
        if not guards:
            for name in TRIGGERS:
                connection.execute(f"DROP TRIGGER {name}")

        yield connection

        if not guards:
            for kind, _, text in schema._OBJECTS:
                if kind == "trigger":
                    connection.execute(text)
    finally:
        connection.close()
