"""The table of events with its guards, and how to tell that a file has exactly these."""

import os
from pathlib import Path

from ledger.sqlite import Connection, action, create_file

APPLICATION_ID = 0x414D4944
"""`AMID`, in the header of every ledger file."""

FORMAT = 1
"""Storage format, SQLite's user_version. A later one is refused, never guessed at."""

COLUMNS = "seq, term, at_us, cmd, type, v, prev, body_hash, hash, body"
"""The columns of `events`, in the order of `ledger.record.Record`."""

_EVENTS = """CREATE TABLE events(
  seq INTEGER PRIMARY KEY,
  term INTEGER NOT NULL,
  at_us INTEGER NOT NULL,
  cmd TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  v INTEGER NOT NULL,
  prev BLOB NOT NULL,
  body_hash BLOB NOT NULL,
  hash BLOB NOT NULL,
  body BLOB NOT NULL
) STRICT"""

_NO_UPDATE = """CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN
  SELECT RAISE(ABORT, 'a recorded event is never changed');
END"""

_NO_DELETE = """CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN
  SELECT RAISE(ABORT, 'a recorded event is never deleted');
END"""

# INSERT OR REPLACE deletes rows without firing delete triggers (unless recursive_triggers is on,
# which each connection chooses for itself); this guard fires before the conflict is looked for.
_IN_ORDER = """CREATE TRIGGER events_in_order BEFORE INSERT ON events BEGIN
  SELECT RAISE(ABORT, 'seq must follow the last event')
    WHERE NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events);
  SELECT RAISE(ABORT, 'the command is recorded already')
    WHERE EXISTS (SELECT 1 FROM events WHERE cmd = NEW.cmd);
  SELECT RAISE(ABORT, 'the term is older than that of the last event')
    WHERE NEW.term < (SELECT term FROM events ORDER BY seq DESC LIMIT 1);
END"""

_OBJECTS = (
    ("table", "events", _EVENTS),
    ("trigger", "events_in_order", _IN_ORDER),
    ("trigger", "events_no_delete", _NO_DELETE),
    ("trigger", "events_no_update", _NO_UPDATE),
)

_ALLOWED = frozenset(
    action(f"SQLITE_{name}") for name in ("SELECT", "READ", "TRANSACTION", "FUNCTION")
)


def create_at(path: Path) -> None:
    """Make an empty ledger file, all or nothing, and have its folder remember it."""
    connection = create_file(path)

    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={FORMAT}")

        for _, _, text in _OBJECTS:
            connection.execute(text)

        connection.execute("COMMIT")
    finally:
        connection.close()

    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(folder)
    os.close(folder)


def allowed(code: int, first: str | None) -> bool:
    """Say whether the writer may do this: read, insert events, commit, checkpoint; nothing else."""
    if code == action("SQLITE_INSERT"):
        return first == "events"

    if code == action("SQLITE_PRAGMA"):
        return first == "wal_checkpoint"

    return code in _ALLOWED


def identity(connection: Connection) -> tuple[int, int]:
    """Return (application_id, user_version) of a file."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(application), int(version)


def differences(connection: Connection) -> list[str]:
    """Return what in a file's schema is not as it must be, as sentences."""
    found = {
        (str(kind), str(name)): text
        for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_master")
        if not (kind == "index" and name == "sqlite_autoindex_events_1" and text is None)
    }
    says = []
    for kind, name, text in _OBJECTS:
        stored = found.pop((kind, name), None)
        if stored is None:
            says.append(f"the {kind} {name} is missing")
        elif stored != text:
            says.append(f"the {kind} {name} was changed")

    says.extend(f"there is a {kind} {name} that is not part of a ledger" for kind, name in found)
    return says


__all__ = [
    "APPLICATION_ID",
    "COLUMNS",
    "FORMAT",
    "allowed",
    "create_at",
    "differences",
    "identity",
]
