"""The preimage of an event, against worked examples and an independent derivation."""

import json
from pathlib import Path
from typing import Any

import pytest

from ledger import hashing
from tests.golden.make_vectors import derive

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "golden" / "hash-vectors.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["says"]))
def test_a_worked_example_comes_out(vector: dict[str, Any]) -> None:
    body = vector["body"].encode()
    assert hashing.body_hash(body).hex() == vector["body_hash"]
    assert event_hash(vector).hex() == vector["hash"]
    assert (
        hashing.command_id(vector["seq"], vector["type"], vector["v"], body) == vector["command_id"]
    )


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["says"]))
def test_the_examples_follow_from_the_written_format(vector: dict[str, Any]) -> None:
    derived = derive(vector)
    assert derived == {name: vector[name] for name in derived}


def test_every_part_is_under_the_hash() -> None:
    first = VECTORS[0]
    others = {
        "run": "00" * 16,
        "seq": 2,
        "term": 2,
        "at_us": 0,
        "prev": "01" * 32,
        "type": "run.starteD",
        "v": 2,
        "cmd": "starT",
        "body": "{}",
    }
    hashes = {event_hash({**first, name: value}) for name, value in others.items()}
    assert len(hashes | {event_hash(first)}) == len(others) + 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"run": "00" * 15},
        {"prev": "00" * 33},
        {"seq": -1},
        {"v": 2**32},
        {"at_us": 2**63},
    ],
)
def test_a_part_that_does_not_fit_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"fit|bytes"):
        event_hash({**VECTORS[0], **wrong})


def event_hash(vector: dict[str, Any]) -> bytes:
    return hashing.event_hash(
        run=bytes.fromhex(vector["run"]),
        seq=vector["seq"],
        term=vector["term"],
        at_us=vector["at_us"],
        prev=bytes.fromhex(vector["prev"]),
        type=vector["type"],
        v=vector["v"],
        cmd=vector["cmd"],
        body_hash=hashing.body_hash(vector["body"].encode()),
    )
