"""Requests that share a commit: each is answered as if it were alone, and they wait for company."""

import queue
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ledger.committer import Request, take
from ledger.errors import CommandReused, HeadMoved
from ledger.plan import likely
from ledger.record import NewEvent, Record
from ledger.writer import Writer
from tests.ledger.making import said, started, ticking


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    made = Writer(tmp_path / "ledger.db", ticking(), create=True)
    made.commit([asking(started())])
    yield made
    made.close()


def asking(*events: NewEvent, head: int | None = None) -> Request:
    return Request(events, head)


def answers(requests: Sequence[Request]) -> list[tuple[Record, ...] | type[BaseException]]:
    told: list[tuple[Record, ...] | type[BaseException]] = []
    for request in requests:
        error = request.answer.exception(timeout=0)
        told.append(request.answer.result() if error is None else type(error))

    return told


def test_a_command_twice_in_one_group_is_stored_once(writer: Writer) -> None:
    group = [asking(said("one", "c-1")), asking(said("two")), asking(said("one", "c-1"))]
    writer.commit(group)
    first, _, again = answers(group)
    assert first == again
    assert writer.top.head.seq == 3


def test_a_command_with_two_contents_in_one_group_is_refused(writer: Writer) -> None:
    group = [asking(said("one", "c-1")), asking(said("two", "c-1")), asking(said("three"))]
    writer.commit(group)
    first, second, third = answers(group)
    assert second is CommandReused
    assert isinstance(first, tuple)
    assert isinstance(third, tuple)
    assert (first[0].seq, third[0].seq) == (2, 3)


def test_what_a_group_repeats_of_an_older_one_is_found(writer: Writer) -> None:
    older = asking(said("one"), said("two", "c-2"))
    writer.commit([older])
    group = [
        asking(said("new")),
        asking(said("one"), said("two", "c-2"), head=1),
        asking(said("two", "c-2")),
        asking(said("late"), head=1),
    ]
    writer.commit(group)
    new, again, two, late = answers(group)
    assert (again, two, late) == (older.answer.result(), older.answer.result()[1:], HeadMoved)
    assert isinstance(new, tuple)
    assert new[0].seq == 4


@pytest.mark.parametrize("size", [1, 7, 8, 9, 65, 700])
def test_a_group_of_any_size_is_looked_up(writer: Writer, size: int) -> None:
    group = [asking(said(str(n), f"c-{n}")) for n in range(size)]
    writer.commit(group)
    again = [asking(said(str(n), f"c-{n}")) for n in range(size)]
    writer.commit(again)
    assert answers(again) == answers(group)
    assert writer.top.head.seq == 1 + size


def test_the_ids_of_a_group_are_known_beforehand_where_all_of_it_is_new(writer: Writer) -> None:
    group = [asking(said("one")), asking(said("two", "c"), said("three"))]
    ids = likely(group, writer.top.head.seq)
    writer.commit(group)
    stored = [record.cmd for request in group for record in request.answer.result()]
    assert list(ids) == stored


LONG = 600.0
"""Seconds; no test waits that long."""


def waiting(*requests: Request | None) -> "queue.Queue[Request | None]":
    found: queue.Queue[Request | None] = queue.Queue()
    for request in requests:
        found.put(request)

    return found


def test_a_request_waits_for_as_many_as_came_last_time() -> None:
    four = [asking(said(str(n))) for n in range(4)]
    place = waiting(four[0])
    later = threading.Thread(target=lambda: list(map(place.put, four[1:])))
    later.start()
    assert take(place, 4, LONG) == (four, False)
    later.join()


def test_who_was_alone_last_time_waits_for_nobody() -> None:
    one = asking(said("one"))
    assert take(waiting(one), 1, LONG) == ([one], False)


def test_whatever_is_there_is_taken_even_where_fewer_came_last_time() -> None:
    four = [asking(said(str(n))) for n in range(4)]
    assert take(waiting(*four), 2, LONG) == (four, False)


def test_company_that_does_not_come_is_not_waited_for_for_ever() -> None:
    one = asking(said("one"))
    assert take(waiting(one), 8, 0.001) == ([one], False)


def test_the_end_is_not_waited_beyond() -> None:
    one = asking(said("one"))
    assert take(waiting(one, None), 8, LONG) == ([one], True)
