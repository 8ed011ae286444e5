"""The laws of canonical bytes."""

import json
import subprocess
import sys

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.canonical import DEEPEST, LARGEST, Json, decode, document, encode
from ledger.errors import FenceViolation
from ledger.fence import fitted

laws = settings(deadline=None, max_examples=60)  # other work on the machine must not fail a law
keys = st.from_regex(r"[a-z0-9_.]+", fullmatch=True)
texts = st.text(st.characters(codec="utf-8")).map(fitted)
wholes = st.integers(-LARGEST, LARGEST)
plain = st.none() | st.booleans() | wholes | texts
values = st.recursive(
    plain, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=20
)


@laws
@given(values)
def test_bytes_are_those_of_rfc_8785(value: Json) -> None:
    assert encode(value) == rfc8785.dumps(value)


@laws
@given(values)
def test_what_is_written_is_read_back(value: Json) -> None:
    assert decode(encode(value)) == value


@laws
@given(st.dictionaries(keys, plain))
def test_order_of_keys_does_not_matter(value: dict[str, Json]) -> None:
    assert encode(dict(reversed(value.items()))) == encode(value)


@laws
@given(values)
def test_another_spelling_is_refused(value: Json) -> None:
    for other in (
        b" " + encode(value),
        json.dumps(value, indent=1, ensure_ascii=True, sort_keys=False).encode(),
    ):
        if other != encode(value):
            with pytest.raises(FenceViolation):
                decode(other)


@laws
@given(st.binary(max_size=40))
def test_any_bytes_are_read_one_way_or_not_at_all(data: bytes) -> None:
    try:
        assert encode(decode(data)) == data
    except FenceViolation:
        pass


def test_tuples_are_lists() -> None:
    assert encode((1, ("a", None))) == encode([1, ["a", None]])


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"a": 1.0}, r"\$\.a"),
        ({"a": [1, float("nan")]}, r"\$\.a\[1\]"),
        ({"A": 1}, "key 'A'"),
        ({"": 1}, "key ''"),
        ({"é": 1}, "key"),
        ({1: 1}, "key 1"),
        (LARGEST + 1, "2\\^53"),
        (-LARGEST - 1, "2\\^53"),
        ("\ud800", "surrogate"),
        (b"bytes", "bytes"),
        ({1, 2}, "set"),
    ],
)
def test_what_lies_outside_the_fence_is_named(value: object, where: str) -> None:
    with pytest.raises(FenceViolation, match=where):
        encode(value)


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":1}',
        b'{"b":1,"a":1}',
        b"1.0",
        b"1e3",
        b"-0",
        b"9007199254740992",
        b"18446744073709551616",
        b'"\\u0041"',
        b'"\\/"',
        b'"\\u000A"',
        b'"\xff"',
        b'"\\ud800"',
        b"NaN",
        b"",
        b"{}\n",
        b"[" * 100_000,
    ],
)
def test_bytes_with_a_second_spelling_are_refused(data: bytes) -> None:
    with pytest.raises(FenceViolation):
        decode(data)


def test_depth_has_a_limit() -> None:
    value: Json = 1
    for _ in range(DEEPEST):
        value = [value]

    assert decode(encode(value)) == value
    with pytest.raises(FenceViolation, match="deep"):
        encode([value])


def test_bytes_do_not_depend_on_the_hash_seed() -> None:
    script = (
        "from ledger.canonical import encode; import sys;"
        "sys.stdout.buffer.write(encode({k: {k: 1} for k in {'b', 'a', 'd', 'c', 'e'}}))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(seen) == 1


def test_documents_may_hold_floats_but_only_finite_ones() -> None:
    assert document({"b": [1.5], "A": 2}) == b'{"A":2,"b":[1.5]}'

    for value in (float("nan"), float("inf"), -float("inf")):
        with pytest.raises(FenceViolation, match=r"\$\.a\[0\]"):
            document({"a": [value]})

    with pytest.raises(FenceViolation):
        document({"a": b"bytes"})
