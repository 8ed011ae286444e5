"""Appending and reading back."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ledger.canonical import encode
from ledger.errors import (
    ChainBroken,
    CommandReused,
    FenceViolation,
    HeadMoved,
    LedgerClosed,
    LedgerExists,
    LedgerTooNew,
    NotALedger,
    TermLost,
)
from ledger.record import EMPTY, NewEvent
from ledger.store import Ledger
from tests.ledger.making import RUN, filled, holding, said, started, ticking
from tests.ledger.raw import raw


def test_what_is_appended_is_read_back_the_same(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        stored = ledger.append([said("one"), said("two")])
        assert [record.seq for record in stored] == [2, 3]
        assert tuple(ledger.records(after=1)) == stored

    with Ledger.open(tmp_path / "ledger.db") as again:
        assert tuple(again.records(after=1)) == stored
        assert again.head == (3, stored[-1].hash)
        assert again.run == RUN


def test_each_event_names_the_one_before(tmp_path: Path) -> None:
    with holding(tmp_path, [said("one"), said("two")]) as ledger:
        first, second, third = ledger.records()

    assert first.prev == EMPTY.hash
    assert (second.prev, third.prev) == (first.hash, second.hash)


def test_time_comes_from_the_clock_it_is_given(tmp_path: Path) -> None:
    with Ledger.create(tmp_path / "ledger.db", clock=ticking(0)) as ledger:
        (record,) = ledger.append([started()])

    assert record.at_us == 2000  # the lock looked first


def test_two_runs_with_one_clock_have_the_same_bytes(tmp_path: Path) -> None:
    heads = []
    for name in ("a", "b"):
        with holding(tmp_path / name, [said("one")]) as ledger:
            heads.append(ledger.head)

    assert heads[0] == heads[1]


def test_nothing_is_left_beside_the_file_after_close(tmp_path: Path) -> None:
    filled(tmp_path, "one")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["head", "ledger.db", "run.lock"]


def test_events_decided_on_an_older_head_are_refused(tmp_path: Path) -> None:
    with holding(tmp_path, [said("one")]) as ledger:
        with pytest.raises(HeadMoved) as error:
            ledger.append([said("late")], expect_head=1)

        assert (error.value.expected, error.value.found) == (1, 2)
        assert ledger.head.seq == 2
        assert ledger.append([said("in time")], expect_head=2)[0].seq == 3


def test_a_repeated_command_returns_what_it_became(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        first = ledger.append([said("one", cmd="c-1")])
        ledger.append([said("two")])
        assert ledger.append([said("one", cmd="c-1")]) == first
        assert ledger.head.seq == 3


def test_a_batch_whose_answer_was_lost_may_be_sent_again(tmp_path: Path) -> None:
    batch = [said("one"), said("two", cmd="c-2"), said("three")]
    with holding(tmp_path) as ledger:
        first = ledger.append(batch, expect_head=1)
        ledger.append([said("later")])
        assert ledger.append(batch, expect_head=1) == first


def test_the_same_words_twice_are_two_events(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        ledger.append([said("one", cmd="c-1")])
        mixed = ledger.append([said("one", cmd="c-1"), said("again")])
        last = ledger.append([said("again")])
        assert [record.seq for record in (*mixed, *last)] == [2, 3, 4]


def test_a_command_with_other_content_is_refused(tmp_path: Path) -> None:
    with holding(tmp_path, [said("one", cmd="c-1")]) as ledger:
        with pytest.raises(CommandReused, match="event 2"):
            ledger.append([said("other", cmd="c-1")])

        with pytest.raises(CommandReused, match="same batch"):
            ledger.append([said("x", cmd="c-2"), said("y", cmd="c-2")])

        assert ledger.head.seq == 2


def test_a_refused_request_does_not_take_others_with_it(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        with pytest.raises(HeadMoved):
            ledger.append([said("late")], expect_head=0)

        assert ledger.append([said("fine")])[0].seq == 2


@pytest.mark.parametrize(
    "event",
    [
        NewEvent("note.said", 1, b'{"text": "a space"}'),
        NewEvent("note.said", 1, b"[]"),
        NewEvent("note.said", 1, b'{"x":1.5}'),
        NewEvent("Note", 1, b"{}"),
        NewEvent("note.said", 0, b"{}"),
        NewEvent("note.said", 2**32, b"{}"),
        NewEvent("note.said", 1, b"{}", "a space"),
        NewEvent("note.said", 1, b"{}", ""),
    ],
)
def test_what_has_no_one_spelling_is_refused(tmp_path: Path, event: NewEvent) -> None:
    with holding(tmp_path) as ledger:
        with pytest.raises(FenceViolation):
            ledger.append([event])

        assert ledger.head.seq == 1


def test_the_first_event_must_name_the_run(tmp_path: Path) -> None:
    with Ledger.create(tmp_path / "ledger.db") as ledger:
        with pytest.raises(FenceViolation, match="run id"):
            ledger.append([NewEvent("run.started", 1, encode({"run": "short"}))])

        assert ledger.head == EMPTY


def test_the_term_rises_with_each_lease(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        assert ledger.term == 1

    with Ledger.open(tmp_path / "ledger.db") as ledger:
        assert ledger.term == 0
        assert ledger.acquire() == 2
        assert ledger.append([said("one")])[0].term == 2
        assert ledger.acquire() == 3


def test_threads_append_without_losing_or_doubling(tmp_path: Path) -> None:
    answers: list[int] = []

    with holding(tmp_path) as ledger:

        def work(name: int) -> None:
            for index in range(25):
                (record,) = ledger.append([said(f"{name}-{index}")])
                answers.append(record.seq)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sorted(answers) == list(range(2, 202))
        assert [record.seq for record in ledger.records()] == list(range(1, 202))

    Ledger.open(tmp_path / "ledger.db").close()  # walks the chain


def test_of_many_deciders_on_one_head_one_wins(tmp_path: Path) -> None:
    won: list[int] = []
    lost: list[int] = []

    with holding(tmp_path) as ledger:

        def decide(name: int) -> None:
            try:
                ledger.append([said(f"decision {name}")], expect_head=1)
                won.append(name)
            except HeadMoved:
                lost.append(name)

        threads = [threading.Thread(target=decide, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert (len(won), len(lost)) == (1, 7)


def test_a_row_written_behind_our_back_stops_us_for_good(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        with raw(ledger.path) as connection:
            connection.execute(
                "INSERT INTO events SELECT 2, 9, at_us, 'theirs', type, v, hash, body_hash,"
                " hash, body FROM events"
            )

        for _ in range(2):
            with pytest.raises((TermLost, ChainBroken)):
                ledger.append([said("ours")])


def test_a_closed_ledger_takes_nothing(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        pass

    ledger.close()
    with pytest.raises(LedgerClosed):
        ledger.append([said("one")])

    with pytest.raises(LedgerClosed):
        list(ledger.records())


def test_a_ledger_is_never_overwritten(tmp_path: Path) -> None:
    path = filled(tmp_path, "one")
    with pytest.raises(LedgerExists):
        Ledger.create(path)


def test_what_is_not_a_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, but longer than a header" * 10)
    with raw(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE t(x)")

    for name in ("missing.db", "text", "other.db"):
        with pytest.raises(NotALedger):
            Ledger.open(tmp_path / name)


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path)
    with raw(path) as connection:
        connection.execute("PRAGMA user_version=2")

    with pytest.raises(LedgerTooNew):
        Ledger.open(path)


def test_a_damaged_ledger_is_not_appended_to(tmp_path: Path) -> None:
    path = filled(tmp_path, "one", "two")
    with raw(path, guards=False) as connection:
        connection.execute("UPDATE events SET at_us = at_us + 1 WHERE seq = 2")

    with pytest.raises(ChainBroken, match="event 2"):
        Ledger.open(path)


def test_bytes_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.ledger.making import holding, said\n"
        "with holding(Path(sys.argv[1]), [said(t) for t in 'abc']) as ledger: print(ledger.head)"
    )
    heads = {
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / seed)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(heads) == 1
