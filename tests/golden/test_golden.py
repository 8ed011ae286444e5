"""What was ever stored stays readable: one sample per event type and version."""

from pathlib import Path

import pytest

from ledger.canonical import encode
from ledger.events.base import Fact, type_of
from ledger.events.stored import from_record, to_new
from ledger.events.union import CATALOGUE
from ledger.record import Record
from tests.golden.make_events import sample

SAMPLES = sorted((Path(__file__).parent / "events").iterdir())


def test_every_event_has_a_sample_and_every_sample_an_event() -> None:
    current = {f"{name}.v{cls.v}.json" for name, cls in CATALOGUE.items()}
    older = {f"{name}.v{v}.json" for name, cls in CATALOGUE.items() for v in range(1, cls.v)}
    assert {path.name for path in SAMPLES} == current | older


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_sample_reads_and_writes_back_the_same(path: Path) -> None:
    name, version, _ = path.name.rsplit(".", 2)
    body = path.read_bytes()
    event = from_record(stored(name, int(version[1:]), body))

    assert type_of(type(event)) == name
    if version == f"v{type(event).v}":
        assert to_new(event).body == body


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_the_sample_maker_still_knows_every_event(name: str) -> None:
    event = sample(CATALOGUE[name])
    assert isinstance(event, Fact)
    assert to_new(event).type == name


def stored(name: str, v: int, body: bytes) -> Record:
    zero = bytes(32)
    return Record(1, 1, 0, "c-1", name, v, zero, zero, zero, body)


def test_an_envelope_names_the_type_and_the_body_does_not() -> None:
    assert all(b'"type":' not in path.read_bytes() for path in SAMPLES)
    assert encode({}) == b"{}"
