"""What was cut short in the first stage goes on with the units that are left, while it may win."""

from dataclasses import replace
from random import Random

import pytest

from ledger.events.work import LanePromoted, RoundOpened, StageEntered
from runtime.ports import LaneOffer
from tests.runtime.pure import Pure
from tests.runtime.world import World, offer

STEPS = 100


def network(units: int = 50) -> LaneOffer:
    return replace(offer("network", 700, 4), steps=STEPS, units=units)


def played(score: str, *, units: int = 1000) -> Pure:
    world = World(
        offers=(offer("plain", 900, 1), network()),
        score=lambda attempt: score if "network" in attempt else "0.8",
        spread=0.02,
    )
    run = Pure(world, units=units)
    run.play(Random(1))
    return run


def longer(run: Pure) -> list[tuple[int, int]]:
    opened = [e for e in run.log if isinstance(e, RoundOpened) and e.stage == "exploit"]
    return [(slot.steps, slot.units) for e in opened for slot in e.slots if slot.steps]


def test_a_network_behind_inside_its_interval_is_trained_longer() -> None:
    run = played("0.795")

    ((steps, units),) = longer(run)
    assert steps == STEPS * units // 50
    assert steps > 5 * STEPS
    (promoted,) = [e for e in run.log if isinstance(e, LanePromoted) and e.lane == "network"]
    assert f"{STEPS} steps so far, the units that are left carry" in promoted.reason


def test_a_network_far_behind_is_not() -> None:
    assert longer(played("0.5")) == []


def test_the_second_stage_gets_what_the_first_leaves() -> None:
    run = played("0.795")

    stages = {e.stage: e.units for e in run.log if isinstance(e, StageEntered)}
    spent = run.state.stages.spent["explore"]
    assert stages["explore"] == 500
    assert stages["exploit"] == 350 + 500 - spent


@pytest.mark.parametrize("score", ["0.795", "0.85"])
def test_most_of_the_budget_is_used_where_a_network_may_grow(score: str) -> None:
    run = played(score)

    assert sum(run.state.stages.spent.values()) >= 600


def test_too_little_to_matter_is_not_spent_on_it() -> None:
    assert longer(played("0.795", units=130)) == []
