"""Older bodies are brought to the current shape when read; stored bytes never change."""

import pytest

from ledger.canonical import encode
from ledger.upcast import Body, Step, current, upcasts


def test_each_step_is_taken_once_and_in_order() -> None:
    steps: dict[tuple[str, int], Step] = {}

    @upcasts("note.said", 1, steps)
    def _first(body: Body) -> Body:
        return {"words": body["text"]}

    @upcasts("note.said", 2, steps)
    def _second(body: Body) -> Body:
        return {**body, "loud": False}

    assert current("note.said", 1, encode({"text": "a"}), steps) == (
        3,
        encode({"words": "a", "loud": False}),
    )
    assert current("note.said", 2, encode({"words": "a"}), steps)[0] == 3
    assert current("note.left", 1, b"{}", steps) == (1, b"{}")


def test_a_step_is_registered_once() -> None:
    steps: dict[tuple[str, int], Step] = {}

    def step(body: Body) -> Body:
        return body

    upcasts("note.said", 1, steps)(step)
    with pytest.raises(ValueError, match=r"note\.said v1"):
        upcasts("note.said", 1, steps)(step)
