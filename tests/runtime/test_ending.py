"""A run without a package says its own cause and remedy; a flag alone leaves it undecided."""

from collections.abc import Callable
from random import Random

import pytest

from amid.cli.run import CODES
from ledger.events.run import RunFinished
from runtime.ports import JobSpec
from tests.runtime.pure import Pure
from tests.runtime.world import World, offer

OFFERS = (offer("lane1", priority=900, complexity=1), offer("lane2", priority=500, complexity=2))


def ended(world: World, *, units: int = 1000, idle: Callable[[str], str] = lambda _: "") -> (
    RunFinished
):  # fmt: skip
    played = Pure(world, units=units, idle=idle).play(Random(0))
    finished = played.state.task.finished
    assert finished is not None
    return finished


def test_flags_alone_leave_the_run_undecided_with_their_code_and_what_was_seen() -> None:
    found = ended(World(offers=OFFERS, verdict=lambda _: "flag"))

    assert found.outcome == "undecided"
    assert CODES[found.outcome] == 6
    assert found.because.startswith("every attempt is flagged (")
    assert "a person must decide" in found.because


def test_rejections_refuse_the_run_with_their_codes() -> None:
    found = ended(World(offers=OFFERS, verdict=lambda _: "reject"))

    assert (found.outcome, CODES[found.outcome]) == ("refused", 1)
    assert found.because.startswith("every attempt is rejected (")


def test_flags_beside_rejections_leave_it_undecided() -> None:
    found = ended(World(offers=OFFERS, verdict=lambda a: "flag" if "lane1" in a else "reject"))

    assert found.outcome == "undecided"


def test_what_is_not_above_the_nulls_is_said_to_be_so() -> None:
    found = ended(World(offers=OFFERS, beats=lambda _: False))

    assert found.outcome == "refused"
    assert "beats every model that does not look at the image" in found.because


def test_a_budget_too_short_names_the_least_that_would_do() -> None:
    found = ended(World(offers=OFFERS), units=10)

    assert found.outcome == "refused"
    assert "the budget is too short: the cheapest attempt (lane lane1) takes" in found.because
    assert "give at least --budget" in found.because


def test_the_named_budget_is_enough_for_an_attempt() -> None:
    said = ended(World(offers=OFFERS), units=10).because
    seconds = int(said.partition("--budget ")[2].partition("s")[0])
    cores = int(said.rpartition("on ")[2].partition(" ")[0])

    played = Pure(World(offers=OFFERS), units=seconds * cores).play(Random(0))

    assert [a for a in played.state.attempts if a.executed is not None]


def test_jobs_that_fail_say_the_first_reason() -> None:
    def fails(spec: JobSpec) -> str:
        return "" if spec.kind == "null" else "no disk"

    found = ended(World(offers=OFFERS, fails=fails))

    assert found.outcome == "refused"
    assert "every attempt failed" in found.because
    assert "no disk" in found.because


def test_workers_that_hand_in_nothing_say_why() -> None:
    found = ended(World(offers=OFFERS), idle=lambda _: "no edit")

    assert found.because == "no worker handed in an attempt: no edit"


@pytest.mark.parametrize("kind", ["fallback", "paper-only"])
def test_no_method_that_suits_is_said(kind: str) -> None:
    found = ended(World(offers=(offer("lane1", priority=900, complexity=1, kind=kind),)))

    assert "no method that is here suits this task" in found.because
