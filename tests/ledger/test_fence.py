"""What may not be stored is refused on write, and named on verify where every hash is right too."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import encode
from ledger.chain import Walk, event_hash
from ledger.errors import FenceViolation
from ledger.events.job import JobLost
from ledger.events.stored import fit
from ledger.fence import LARGEST_BODY, LAST_US, escaped, fitted, text_fault
from ledger.hashing import body_hash
from ledger.record import NewEvent, Record
from ledger.store import Ledger
from tests.ledger.making import RUN, said, started, ticking

FIRST = Record(1, 1, 0, "c", "run.started", 1, bytes(32), b"", b"", encode({"run": RUN}))

UNFIT_TEXTS = [
    "\x1b[2J",
    "nul\0",
    "bell\a",
    "\x9b2J",
    "\x7f",
    "a\u202eb",
    "\u2028",
    "e\u0301",
    "\r",
]


def whole(record: Record) -> tuple[object, ...]:
    """Return the row of a record whose hashes fit, whatever else is wrong with it."""
    record = record._replace(body_hash=body_hash(record.body))
    return record._replace(hash=event_hash(record, bytes.fromhex(RUN)))


def faults(record: Record) -> list[tuple[str, str]]:
    return [(fault.code, fault.says) for fault in Walk().step(whole(record))[1]]


def test_a_row_within_the_rules_has_no_fault() -> None:
    assert faults(FIRST) == []


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (FIRST._replace(cmd=""), "command id"),
        (FIRST._replace(cmd="a\0b"), "command id"),
        (FIRST._replace(cmd="a b"), "command id"),
        (FIRST._replace(cmd="\x1b[2J"), "command id"),
        (FIRST._replace(cmd="x" * 10_000), "command id"),
        (FIRST._replace(at_us=-1), "1970"),
        (FIRST._replace(at_us=LAST_US + 1), "9999"),
        (FIRST._replace(type="Run Started"), "type"),
        (FIRST._replace(v=0), "version"),
        (FIRST._replace(body=encode({"run": RUN, "text": "x" * LARGEST_BODY})), "larger"),
    ],
)
def test_a_column_that_was_never_to_be_written_is_named(record: Record, says: str) -> None:
    (found,) = faults(record)
    assert found[0] == "EVENT_MALFORMED"
    assert says in found[1]


@pytest.mark.parametrize("text", UNFIT_TEXTS)
def test_text_that_was_never_to_be_written_is_named(text: str) -> None:
    body = b'{"run":"%s","text":%s}' % (RUN.encode(), _json(text))
    assert [code for code, _ in faults(FIRST._replace(body=body))] == ["EVENT_CHANGED"]


def _json(text: str) -> bytes:
    import orjson

    return orjson.dumps(text)


@pytest.mark.parametrize(
    "event",
    [
        said("x", cmd=""),
        said("x", cmd="a\0b"),
        said("x", cmd="x" * 201),
        NewEvent("note.said", 1, encode({"text": "x" * LARGEST_BODY})),
        *(NewEvent("note.said", 1, b'{"text":%s}' % _json(text)) for text in UNFIT_TEXTS),
    ],
)
def test_the_writer_refuses_the_same(tmp_path: Path, event: NewEvent) -> None:
    with Ledger.create(tmp_path / "ledger.db", clock=ticking()) as ledger:
        ledger.append([started()])
        with pytest.raises(FenceViolation):
            ledger.append([event])

        assert ledger.head.seq == 1


def test_the_writer_refuses_a_clock_beyond_the_calendar(tmp_path: Path) -> None:
    times = iter([0, 0, -5, LAST_US + 1, 7])
    with Ledger.create(tmp_path / "ledger.db", clock=lambda: next(times)) as ledger:
        ledger.append([started()])
        for _ in range(2):
            with pytest.raises(FenceViolation, match="clock"):
                ledger.append([said("x")])

        assert ledger.append([said("x")])[0].at_us == 7


@given(st.text())
def test_any_text_can_be_made_to_fit(text: str) -> None:
    told = fitted(text)
    assert text_fault(told) is None
    assert fitted(told) == told


@given(st.text())
def test_text_that_fits_is_not_touched(text: str) -> None:
    if text_fault(text) is None:
        assert fitted(text) == escaped(text) == text


def test_what_a_job_wrote_is_made_to_fit_before_it_is_appended() -> None:
    lost = JobLost(key="0" * 64, epoch=1, because="\x1b[2J e\u0301", cause="ended")
    told = fit(lost)
    assert told == JobLost(key="0" * 64, epoch=1, because="\\x1b[2J \u00e9", cause="ended")
    assert fit(told) is told
    encode(told.model_dump(mode="json"))


def test_escapes_say_what_stood_there() -> None:
    assert escaped("\x1b[31mred\x9b\u202e") == "\\x1b[31mred\\x9b\\u202e"
    assert fitted(unicodedata.normalize("NFD", "é\n\t")) == "é\n\t"
