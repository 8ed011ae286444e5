"""What the table itself refuses, whoever is connected, and what our connection may not even ask."""

from pathlib import Path
from typing import Any

import pytest
from pysqlite3 import dbapi2

from ledger import schema, sqlite
from ledger.errors import LedgerDamaged, SqliteTooOld
from ledger.store import Ledger
from tests.ledger.making import filled
from tests.ledger.raw import raw

COPY = "SELECT {seq}, {term}, at_us, {cmd}, type, v, hash, body_hash, hash, body FROM events"
LAST = " WHERE seq = 3"


def insert(how: str, seq: str = "4", term: str = "1", cmd: str = "'new'") -> str:
    return f"{how} INTO events {COPY.format(seq=seq, term=term, cmd=cmd)}{LAST}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return filled(tmp_path, "one", "two")


@pytest.mark.parametrize("recursive", ["ON", "OFF"])
@pytest.mark.parametrize(
    ("statement", "because"),
    [
        ("UPDATE events SET at_us = 0", "never changed"),
        ("UPDATE OR REPLACE events SET seq = 1 WHERE seq = 2", "never changed"),
        ("DELETE FROM events WHERE seq = 3", "never deleted"),
        (insert("INSERT", seq="3"), "follow"),
        (insert("INSERT", seq="5"), "follow"),
        (insert("INSERT", seq="0"), "follow"),
        (insert("INSERT", seq="NULL"), "follow"),
        (insert("INSERT OR REPLACE", seq="3"), "follow"),
        (insert("INSERT OR REPLACE", seq="1"), "follow"),
        (insert("REPLACE", cmd="cmd"), "command"),
        (insert("INSERT OR IGNORE", cmd="cmd"), "command"),
        (insert("INSERT OR REPLACE", term="0"), "term"),
    ],
)
def test_a_raw_connection_cannot_rewrite(
    path: Path, statement: str, because: str, recursive: str
) -> None:
    with raw(path) as connection:
        connection.execute(f"PRAGMA recursive_triggers={recursive}")
        before = connection.execute("SELECT * FROM events").fetchall()

        with pytest.raises(dbapi2.Error, match=because):
            connection.execute(statement)

        assert connection.execute("SELECT * FROM events").fetchall() == before


def test_an_upsert_cannot_rewrite(path: Path) -> None:
    statement = insert("INSERT", seq="3") + " ON CONFLICT(seq) DO UPDATE SET body = x''"
    with raw(path) as connection, pytest.raises(dbapi2.Error, match="follow"):
        connection.execute(statement)


@pytest.mark.parametrize(
    "column", ["term", "at_us", "cmd", "type", "v", "prev", "body_hash", "hash", "body"]
)
def test_no_column_may_be_empty_or_of_another_type(path: Path, column: str) -> None:
    names = schema.COLUMNS.split(", ")
    with raw(path) as connection:
        (row,) = connection.execute("SELECT * FROM events WHERE seq = 3")
        good = dict(zip(names, row, strict=True)) | {"seq": 4, "cmd": "new"}

        for bad in (None, "text" if column not in ("cmd", "type") else b"blob"):
            values = list((good | {column: bad}).values())
            with pytest.raises(dbapi2.Error):
                connection.execute("INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?)", values)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET at_us = 0",
        "DELETE FROM events",
        "DROP TABLE events",
        "DROP TRIGGER events_no_update",
        "ALTER TABLE events RENAME TO old",
        "CREATE TABLE more(x)",
        "CREATE TEMP TRIGGER t BEFORE INSERT ON events BEGIN SELECT 1; END",
        "ATTACH ':memory:' AS other",
        "PRAGMA writable_schema=ON",
        "PRAGMA synchronous=OFF",
        "PRAGMA journal_mode=DELETE",
        "PRAGMA user_version=0",
        "PRAGMA recursive_triggers=OFF",
        "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 0, '')",
        "VACUUM",
    ],
)
def test_the_writers_connection_may_not_even_ask(path: Path, statement: str) -> None:
    with Ledger.open(path) as ledger:
        connection: Any = ledger._writer._connection
        with pytest.raises(dbapi2.Error, match=r"not authorized|prohibited|denied"):
            connection.execute(statement)


def test_every_commit_waits_for_the_disk(path: Path) -> None:
    connection = sqlite.open_writer(path)
    asked = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "recursive_triggers", "mmap_size")
    }
    connection.close()
    assert asked == {
        "journal_mode": "wal",
        "synchronous": 2,
        "recursive_triggers": 1,
        "mmap_size": 0,
    }


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER events_in_order",
        "CREATE TABLE more(x)",
        "CREATE INDEX more ON events(type)",
        "CREATE VIEW more AS SELECT 1",
        "ALTER TABLE events ADD COLUMN more TEXT",
    ],
)
def test_a_changed_schema_is_not_written_to(path: Path, statement: str) -> None:
    with raw(path) as connection:
        connection.execute(statement)

    with pytest.raises(LedgerDamaged):
        Ledger.open(path)


def test_a_sqlite_with_the_reset_defect_is_refused() -> None:
    sqlite.require()
    with pytest.raises(SqliteTooOld, match=r"3\.40\.1.*pysqlite3") as error:
        sqlite.require((3, 40, 1))

    assert error.value.exit_code == 3
