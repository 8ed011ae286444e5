"""Every event can be told in one line, whatever it holds."""

from string import Formatter

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amid.words.sentences import SENTENCES, sentence
from ledger.events.base import Fact
from ledger.events.union import CATALOGUE, dump
from tests.amid.words.bodies import bodies


def test_every_event_type_has_a_sentence_and_no_other() -> None:
    assert set(SENTENCES) == set(CATALOGUE)


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_a_sentence_names_fields_that_the_event_has(name: str) -> None:
    named = {field for _text, field, _spec, _conv in Formatter().parse(SENTENCES[name]) if field}

    assert named <= set(CATALOGUE[name].model_fields)


@settings(max_examples=15)
@given(st.data())
@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_a_sentence_is_one_short_line(name: str, data: st.DataObject) -> None:
    event: Fact = data.draw(bodies(CATALOGUE[name]))

    told = sentence(name, orjson.dumps(dump(event)))

    assert len(told.splitlines()) <= 1
    assert len(told) <= 200


def test_a_score_is_told_with_its_interval() -> None:
    score = {
        "metric": "dice", "value": "0.8125", "low": "0.79", "high": "0.83", "cases": 10,
        "groups": 5, "status": "ok",
    }  # fmt: skip
    body = orjson.dumps({"null": "empty", "score": score, "per_case": "ab" * 32})

    assert sentence("null.scored", body) == "null model empty: dice 0.8125 [0.79, 0.83]"


def test_an_undefined_score_says_why() -> None:
    score = {
        "metric": "hd95", "value": None, "low": None, "high": None, "cases": 0, "groups": 0,
        "status": "no case has a label",
    }  # fmt: skip
    body = orjson.dumps({"attempt": "a-x", "scores": [score], "per_case": "ab" * 32})

    told = sentence("test.scored", body)

    assert told == "test of a-x: hd95 undefined (no case has a label)"


def test_an_event_of_another_version_is_told_by_its_fields() -> None:
    assert sentence("never.heard_of", b'{"x":1,"y":null}') == "x=1, y=none"
    assert sentence("run.seed_drawn", b'{"number":7}') == "number=7 (no 'seed' here)"


def test_the_limits_of_an_interval_are_told_once_and_first() -> None:
    def score(metric: str) -> dict[str, object]:
        return {
            "metric": metric, "value": "0.8125", "low": "0.79", "high": "0.83", "cases": 4,
            "groups": 4, "status": "ok; t interval over 4 groups covers less than it says",
        }  # fmt: skip

    scores = [score(name) for name in ("dice", "hd95", "dice:left", "dice:right")]
    body = orjson.dumps({"attempt": "a-x", "scores": scores, "per_case": "ab" * 32})

    told = sentence("test.scored", body)

    assert told.startswith(
        "test of a-x: dice 0.8125 [0.79, 0.83] (t interval over 4 groups covers less than it says)"
    )
    assert told.count("covers less") == 1
