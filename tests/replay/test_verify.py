"""Verify says yes to a whole run, names whatever was changed in another, and touches nothing."""

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ledger import schema
from ledger.blobfsck import unnamed
from ledger.blobs import BlobStore
from ledger.errors import LedgerTooNew, NotALedger
from ledger.events.run import RunFinished
from ledger.events.stored import to_new
from ledger.record import NewEvent
from ledger.store import Ledger
from replay.verify import Answer, BadHead, verify
from runtime.journal import Journal
from tests.ledger.making import ticking
from tests.ledger.raw import raw
from tests.ledger.seen import seen
from tests.replay.making import Rules, make_run

COLUMNS = schema.COLUMNS.split(", ")
EVENTS = 20
"""How many `make_run` makes."""
FAR = 100_000
"""More than any log in these tests is long."""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run")


def codes(answer: Answer) -> set[str]:
    return {problem.code for problem in answer.problems}


def places(answer: Answer) -> set[str]:
    return {problem.where for problem in answer.problems}


def test_a_whole_run_is_whole(run: Path) -> None:
    answer = verify(run, domain=Rules())
    assert answer.problems == ()
    assert answer.ok
    assert (answer.exit_code, answer.events, answer.blobs) == (0, EVENTS, 9)
    assert answer.marks == ()


def test_the_answer_is_one_json_object(run: Path) -> None:
    answer = json.loads(json.dumps(verify(run).to_json()))
    assert answer["schema"] == "verify/1"
    assert answer["ok"] is True
    assert answer["assurance"] == "self-attested"
    assert answer["head"].startswith(f"{EVENTS}:")
    assert any("kept outside" in says for says in answer["said"])
    assert any("2 verdicts were not recomputed" in says for says in answer["said"])


def test_every_column_of_every_row_is_guarded(run: Path) -> None:
    whole = (run / "ledger.db").read_bytes()
    with raw(run / "ledger.db") as connection:
        rows = connection.execute("SELECT * FROM events").fetchall()

    for row in rows:
        for column, value in zip(COLUMNS, row, strict=True):
            (run / "ledger.db").write_bytes(whole)
            changed = other(column, value)
            with raw(run / "ledger.db", guards=False) as connection:
                change = f"UPDATE events SET {column} = ? WHERE seq = ?"  # noqa: S608
                connection.execute(change, (changed, row[0]))

            answer = verify(run, domain=Rules())
            named = row[0] + FAR if column == "seq" else row[0]
            assert not answer.ok
            assert f"event {named}" in places(answer), (row[0], column, answer.problems)
            assert codes(answer) & {"EVENT_CHANGED", "CHAIN_BROKEN"}


def test_a_type_that_sqlite_would_not_store_is_named(run: Path) -> None:
    with raw(run / "ledger.db", guards=False) as connection:
        text = schema._EVENTS.replace(" STRICT", "")
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'events'", (text,))

    with raw(run / "ledger.db", guards=False) as connection:
        connection.execute("UPDATE events SET term = 'one' WHERE seq = 3")
        connection.execute("UPDATE events SET type = x'ff' WHERE seq = 4")
        connection.execute("UPDATE events SET cmd = CAST(x'ff' AS TEXT) WHERE seq = 5")

    answer = verify(run)
    malformed = {p.where for p in answer.problems if p.code == "EVENT_MALFORMED"}
    assert malformed == {"event 3", "event 4", "event 5"}
    assert "SCHEMA_CHANGED" in codes(answer)


AGAIN = (
    "INSERT INTO events SELECT {seq}, term, at_us, 'x', type, v, {prev}, body_hash, hash, body"
    " FROM events WHERE seq = {of}"
)


@pytest.mark.parametrize(
    ("statements", "where"),
    [
        (["DELETE FROM events WHERE seq = 1"], "event 2"),
        (["DELETE FROM events WHERE seq = 5"], "event 6"),
        (["DELETE FROM events"], "ledger.db"),
        ([AGAIN.format(seq=21, prev="prev", of=20)], "event 21"),
        ([AGAIN.format(seq=21, prev="hash", of=20)], "event 21"),
        ([AGAIN.format(seq=0, prev="prev", of=1)], "event 0"),
        (
            [
                "UPDATE events SET seq = 115 - seq WHERE seq IN (7, 8)",
                "UPDATE events SET seq = seq - 100 WHERE seq > 100",
            ],
            "event 7",
        ),
        (["UPDATE events SET seq = -seq", "UPDATE events SET seq = 21 + seq"], "event 1"),
    ],
)
def test_rows_taken_out_added_and_moved_are_named(
    run: Path, statements: list[str], where: str
) -> None:
    with raw(run / "ledger.db", guards=False) as connection:
        for statement in statements:
            connection.execute(statement)

    answer = verify(run)
    assert codes(answer) & {"CHAIN_BROKEN", "EVENT_CHANGED", "NO_EVENTS"}
    assert where in places(answer)


def test_a_row_with_hashes_made_anew_breaks_the_next(run: Path) -> None:
    from ledger.chain import event_hash
    from ledger.record import Record

    with raw(run / "ledger.db", guards=False) as connection:
        row = list(connection.execute("SELECT * FROM events WHERE seq = 4").fetchone())
        row[2] += 1
        digest = event_hash(Record(*row), bytes.fromhex(verify(run).run))
        connection.execute("UPDATE events SET at_us = ?, hash = ? WHERE seq = 4", (row[2], digest))

    assert places(verify(run)) == {"event 5"}


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA application_id=7",
        "PRAGMA user_version=0",
        "DROP TRIGGER events_no_delete",
        "CREATE TABLE more(x)",
    ],
)
def test_a_changed_schema_is_named(run: Path, statement: str) -> None:
    with raw(run / "ledger.db") as connection:
        connection.execute(statement)

    assert codes(verify(run)) == {"SCHEMA_CHANGED"}


def test_a_thousand_changed_blob_bytes_are_each_refused_by_name(run: Path) -> None:
    dice = random.Random(3)
    paths = sorted(p for p in (run / "blobs").rglob("*") if p.is_file() and p.stat().st_size)

    for _ in range(1000):
        path = dice.choice(paths)
        whole = path.read_bytes()
        content = bytearray(whole)
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        overwrite(path, content)

        answer = verify(run)
        digest = path.parent.name + path.name
        assert f"blob {digest}" in {
            problem.where for problem in answer.problems if problem.code == "BLOB_CHANGED"
        }
        overwrite(path, whole)

    assert verify(run).ok


def test_missing_foreign_and_unnamed_blobs_are_named(run: Path) -> None:
    finish(run)
    paths = sorted(path for path in (run / "blobs").rglob("*") if path.is_file())
    missing = paths[0]
    missing.rename(run / "blobs" / "stray")
    (run / "blobs" / missing.parent.name / ("0" * 62)).symlink_to(paths[1])
    (run / "blobs" / "ff").mkdir(exist_ok=True)
    (run / "blobs" / "ff" / ("0" * 62)).write_bytes(b"unnamed")

    answer = verify(run)
    assert f"blob {missing.parent.name}{missing.name}" in where(answer, "BLOB_MISSING")
    assert where(answer, "BLOB_FOREIGN") == {
        "blobs/stray",
        f"blobs/{missing.parent.name}/{'0' * 62}",
    }
    assert where(answer, "BLOB_UNREFERENCED") >= {f"blob ff{'0' * 62}"}
    assert where(answer, "BLOB_CHANGED") == {f"blob ff{'0' * 62}"}


def test_a_missing_blob_folder_is_named(run: Path) -> None:
    shutil.rmtree(run / "blobs")
    assert codes(verify(run)) == {"BLOB_MISSING"}


@pytest.mark.parametrize("state", ["closed", "live", "killed"])
def test_nothing_in_the_folder_changes(run: Path, tmp_path: Path, state: str) -> None:
    if state == "closed":
        before = seen(run)
        assert verify(run, domain=Rules()).ok
        assert seen(run) == before
        return

    with Ledger.open(run / "ledger.db", clock=ticking()) as ledger:
        ledger.append([NewEvent("run.paused", 1, b'{"because":"a person asked"}')])
        folder = run
        if state == "killed":
            folder = tmp_path / "killed"
            shutil.copytree(run, folder)

        assert (folder / "ledger.db-wal").stat().st_size > 0
        before = seen(folder)
        answer = verify(folder, domain=Rules())
        assert (answer.ok, answer.events) == (True, EVENTS + 1)
        assert seen(folder) == before


def test_a_damaged_log_is_not_shown_as_a_shorter_run(run: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    with Ledger.open(run / "ledger.db", clock=ticking()) as ledger:
        for _ in range(5):
            ledger.append([NewEvent("run.paused", 1, b'{"because":"a person asked"}')])

        shutil.copytree(run, killed)

    wal = killed / "ledger.db-wal"
    content = bytearray(wal.read_bytes())
    content[len(content) // 2] ^= 1
    wal.write_bytes(content)

    answer = verify(killed)
    assert answer.events < EVENTS + 5
    assert codes(answer) == {"WAL_DAMAGED"}


def test_pages_of_rubbish_are_named(run: Path) -> None:
    dice = random.Random(1)
    path = run / "ledger.db"
    whole = path.read_bytes()

    for place in range(0, len(whole), 1024):
        content = bytearray(whole)
        content[place : place + 512] = dice.randbytes(512)
        path.write_bytes(content)
        if content != whole:
            assert_noticed(run)


def assert_noticed(run: Path) -> None:
    """A page without content may hold rubbish; rows then are as they were."""
    try:
        answer = verify(run)
    except (LedgerTooNew, NotALedger):
        return

    assert not answer.ok or answer.events == EVENTS


def test_a_rollback_journal_is_named(run: Path) -> None:
    (run / "ledger.db-journal").write_bytes(b"anything")
    assert codes(verify(run)) == {"LEDGER_FOREIGN"}


def finish(run: Path) -> None:
    """End a run."""
    with Ledger.open(run / "ledger.db") as ledger:
        ledger.append([to_new(RunFinished(outcome="stopped", because="asked"))])


def test_a_blob_too_many_in_a_run_that_is_over_is_named(run: Path) -> None:
    finish(run)
    orphan = BlobStore(run / "blobs").put(b"put by whom?")
    assert where(verify(run), "BLOB_UNREFERENCED") == {f"blob {orphan}"}


def test_a_blob_left_by_a_crash_is_no_alarm_and_can_be_moved_aside(run: Path) -> None:
    store = BlobStore(run / "blobs")
    orphan = store.put(b"put before a crash")
    answer = verify(run)
    assert answer.ok
    assert "unfinished: 0 jobs and turns under way, 1 blobs" in answer.said[0]

    with Ledger.open(run / "ledger.db") as ledger:
        assert unnamed(store, Journal(ledger).past.named) == [orphan]

    store.set_aside(orphan, run / "aside")
    finish(run)
    assert verify(run).ok
    assert not any("unfinished" in says for says in verify(run).said)


def test_blobs_that_no_crash_can_have_left_show_an_older_ledger(run: Path) -> None:
    store = BlobStore(run / "blobs")
    for content in (b"one", b"two"):
        store.put(content)

    assert codes(verify(run)) == {"ROLLED_BACK"}


@pytest.mark.parametrize("name", ["jobs/" + "5" * 64, "work/w-other", "package"])
def test_a_folder_that_is_ahead_of_its_ledger_is_named(run: Path, name: str) -> None:
    (run / name).mkdir(parents=True)
    answer = verify(run)
    assert codes(answer) == {"ROLLED_BACK"}
    assert "ahead" in answer.problems[0].says


@pytest.mark.parametrize(("until", "ends"), [(4, "task.agreed"), (9, "commit.frozen")])
def test_a_log_that_ends_inside_a_batch_is_named(run: Path, until: int, ends: str) -> None:
    (run / "head").unlink()
    with raw(run / "ledger.db", guards=False) as connection:
        connection.execute("DELETE FROM events WHERE seq > ?", (until,))

    cut = [p.says for p in verify(run).problems if "cut" in p.says]
    assert cut, ends


def test_a_head_kept_elsewhere_shows_a_cut_and_another_history(run: Path, tmp_path: Path) -> None:
    head = verify(run).head
    assert verify(run, head=head).ok

    other_run = make_run(tmp_path / "other", rules=Rules("rules/2"))
    assert codes(verify(other_run, head=head)) == {"HEAD_DIFFERS"}

    with raw(run / "ledger.db", guards=False) as connection:
        connection.execute("DELETE FROM events WHERE seq > 4")

    answer = verify(run)
    assert "CHAIN_BROKEN" not in codes(answer)  # a prefix is a chain: only a head can tell
    assert "ROLLED_BACK" in codes(verify(run, head=head))


@pytest.mark.parametrize("head", ["", "12", "0:" + "0" * 64, "12:xyz"])
def test_a_head_of_another_form_is_refused(run: Path, head: str) -> None:
    with pytest.raises(BadHead) as error:
        verify(run, head=head)

    assert error.value.exit_code == 2


def test_verdicts_follow_from_their_findings(run: Path) -> None:
    assert verify(run, domain=Rules()).ok

    answer = verify(run, domain=Rules(lenient=True))
    assert codes(answer) == {"VERDICT_DIFFERS"}
    assert places(answer) == {"event 17"}
    assert "reject (GEOMETRY-MISMATCH)" in answer.problems[0].says


def test_other_rules_with_the_same_verdicts_are_said(run: Path) -> None:
    answer = verify(run, domain=Rules("rules/2"))
    assert answer.ok
    assert any("another rule set" in says for says in answer.said)


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (NewEvent("run.exploded", 1, b"{}"), "EVENT_UNKNOWN"),
        (NewEvent("run.paused", 2, b'{"because":"-"}'), "EVENT_UNKNOWN"),
        (NewEvent("run.paused", 1, b"{}"), "BODY_UNFIT"),
        (NewEvent("run.paused", 1, b'{"because":"-","more":1}'), "BODY_UNFIT"),
        (NewEvent("run.paused", 1, b'{"because":"-","type":"run.paused"}'), "BODY_UNFIT"),
    ],
)
def test_an_event_that_is_not_understood_is_named(run: Path, event: NewEvent, code: str) -> None:
    with Ledger.open(run / "ledger.db") as ledger:
        ledger.append([event])

    answer = verify(run)
    assert (codes(answer), places(answer)) == ({code}, {f"event {EVENTS + 1}"})


def test_many_problems_are_counted(run: Path) -> None:
    with Ledger.open(run / "ledger.db") as ledger:
        ledger.append([NewEvent("run.exploded", 1, b"{}")] * 250)

    answer = verify(run)
    assert len(answer.problems) == 101
    assert answer.problems[-1].says == "150 more of these"


def test_a_folder_without_a_ledger_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotALedger) as error:
        verify(tmp_path)

    assert error.value.exit_code == 3


def test_verifying_loads_nothing_heavy_and_no_network(run: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from replay.verify import verify;"
        "assert verify(Path(sys.argv[1])).ok; print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", script, str(run)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    ).stdout.split()
    heavy = {"torch", "SimpleITK", "numpy", "scipy", "monai", "git", "anyio", "sqlite3"}
    network = {"ssl", "http.client", "urllib.request", "asyncio"}
    assert not (heavy | network) & set(loaded)


def other(column: str, value: str | int | bytes) -> str | int | bytes:
    """Return another value of the same type."""
    if isinstance(value, int):
        return value + (FAR if column == "seq" else 1)

    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:]

    return value + "x"


def overwrite(path: Path, content: bytes | bytearray) -> None:
    path.chmod(0o644)
    path.write_bytes(content)


def where(answer: Answer, code: str) -> set[str]:
    return {problem.where for problem in answer.problems if problem.code == code}
