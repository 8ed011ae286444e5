"""Lanes are proposed with eight filled fields, grounded in the profile's numbers, and priced."""

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amid.kinds.segmentation.planning.catalogue import (
    AVERAGE,
    INTENSITY_PRIOR,
    NETWORKS,
    TEMPLATES,
    starts,
)
from amid.kinds.segmentation.planning.networks import LEAST_STEPS, SHARES, steps_for, units_of
from amid.planning.offers import offers, probes
from amid.planning.plan import work
from ledger.events.work import LaneProposed
from runtime.ports import Means, Probe
from tests.amid.kinds.segmentation.planning.samples import CONTRACT, profile

EIGHT = (
    "hypothesis",
    "data_conditions",
    "required_resources",
    "preprocessing",
    "validation_obligations",
    "training_budget",
    "expected_artifacts",
    "failure_modes",
)
PROFILES = {
    "hippocampus": profile(),
    "tiny": profile(cases=12, groups=6, test=2, size_median=(16, 16, 16), voxels_median=4096),
    "large": profile(cases=40, groups=40, size_median=(512, 512, 300), voxels_median=78_643_200),
    "few": profile(cases=3, groups=3, groups_with_several_cases=0),
    "empty": profile(foreground_fraction={}, components_median={}),
}


PRICES = {template.name: Probe(ms_per_step=90, fixed_ms=15_000) for template in NETWORKS}
MEANS = Means(probes=PRICES, units=1800, cores=2)


def proposed(name: str, contract: str = CONTRACT, means: Means = MEANS) -> dict[str, LaneProposed]:
    given = PROFILES[name].model_dump_json().encode()

    return {
        lane.lane: LaneProposed(**asdict(lane), by="planner")
        for lane in offers(contract.encode(), given, means)
    }


def timed(name: str, contract: str = CONTRACT) -> tuple[str, ...]:
    return probes(contract.encode(), PROFILES[name].model_dump_json().encode())


@pytest.mark.parametrize("name", PROFILES)
def test_every_lane_is_an_event_with_eight_fields_in_words(name: str) -> None:
    for lane in proposed(name).values():
        assert all(len(getattr(lane, field).split()) >= 4 for field in EIGHT), lane.lane
        assert lane.priority_because


def test_the_words_hold_the_profiles_numbers() -> None:
    lane = proposed("hippocampus")["intensity-prior"]

    assert "35 × 50 × 36" in lane.data_conditions
    assert "left in 2.60% of the voxels" in lane.data_conditions
    assert "10 to 900" in lane.preprocessing
    assert "104 groups" in lane.validation_obligations


def test_best_first_and_the_same_twice() -> None:
    lanes = list(proposed("hippocampus").values())

    assert lanes == sorted(lanes, key=lambda lane: (-lane.priority, lane.lane))
    assert lanes == list(proposed("hippocampus").values())


def test_networks_come_after_the_cheap_lanes_with_steps_that_the_budget_carries() -> None:
    lanes = proposed("hippocampus")
    first, second, third = (lanes[template.name] for template in NETWORKS)

    assert first.kind == second.kind == "executable"
    assert lanes["atlas-fusion"].priority > first.priority > second.priority
    # 360 core-seconds on two cores: 180 s, less 15 s, by 90 ms
    assert (first.steps, first.threads, first.units) == (1830, 2, 360)
    assert second.steps < first.steps
    assert "1830 steps of 90 ms" in " ".join(first.priority_because)
    assert third.kind == "fallback"
    assert "room for 2 networks" in third.priority_because[0]
    assert len({lane.family for lane in lanes.values() if lane.kind == "executable"}) == 4


def test_a_short_run_has_no_time_for_networks() -> None:
    short = CONTRACT.replace('"metric"', '"budget": {"wall": "5m"}, "metric"')

    assert timed("hippocampus") == ("dynunet", "small-unet")
    assert timed("hippocampus", short) == ()
    lanes = proposed("hippocampus", means=Means(probes=PRICES, units=600, cores=2))
    assert {lanes[t.name].kind for t in NETWORKS} == {"fallback"}
    assert "under 600 s" in lanes["dynunet"].priority_because[0]


@pytest.mark.parametrize("name", ["tiny", "few", "empty"])
def test_what_no_network_suits_is_not_timed(name: str) -> None:
    assert timed(name) == ()
    assert proposed(name)["small-unet"].kind == "fallback"


def test_cases_that_memory_cannot_hold_are_said_by_number() -> None:
    lane = proposed("large")["small-unet"]

    assert lane.kind == "fallback"
    assert "24,000 MiB for all cases" in " ".join(lane.priority_because)


def test_without_a_probe_or_with_a_slow_step_a_network_falls_back() -> None:
    untimed = proposed("hippocampus", means=Means(probes={}, units=1800, cores=2))
    assert "not timed" in untimed["small-unet"].priority_because[0]
    assert untimed["small-unet"].units == untimed["small-unet"].steps == 0

    slow = {"dynunet": Probe(ms_per_step=3000, fixed_ms=15_000)}
    lane = proposed("hippocampus", means=Means(probes=slow, units=1800, cores=2))["dynunet"]
    assert lane.kind == "fallback"
    assert (
        f"50 steps of 3000 ms on 2 core(s) and 1 fold(s); under {LEAST_STEPS}"
        in (lane.priority_because[0])
    )


@given(
    units=st.integers(1, 100_000),
    price=st.builds(Probe, st.integers(1, 5000), st.integers(0, 100_000)),
    threads=st.integers(1, 16),
    folds=st.integers(1, 5),
)
def test_planned_steps_stay_inside_their_share(
    units: int, price: Probe, threads: int, folds: int
) -> None:
    steps = steps_for(units, price, threads, folds)

    assert steps % 10 == 0
    if steps:
        assert units_of(steps, price, threads, folds) < units + threads * folds


def test_the_first_network_takes_two_fifths_of_the_first_stage() -> None:
    assert SHARES[0] == 50 * 40 // 100
    assert sum(SHARES) < 50


def test_nnunet_is_named_with_the_numbers_that_speak_against_it() -> None:
    lane = proposed("hippocampus")["nnunet"]

    assert lane.kind == "paper-only"
    assert lane.units == 0
    assert "250 steps takes about 687 s of two cores" in lane.priority_because[0]
    assert "1800 s of one core" in lane.priority_because[0]
    assert lane.priority < proposed("hippocampus")["segresnet"].priority


def test_executable_lanes_have_a_template_to_write() -> None:
    for lane in proposed("hippocampus").values():
        if lane.kind == "executable":
            assert lane.template in TEMPLATES


def test_no_value_of_a_network_costs_more_than_the_one_that_was_timed() -> None:
    for template in NETWORKS:
        for parameter in template.parameters:
            if parameter.name in ("width", "patch", "batch", "passes"):
                assert parameter.start == max(parameter.values)


def test_what_does_not_fit_becomes_a_fallback_below_what_does() -> None:
    few = proposed("few")
    assert few["atlas-fusion"].kind == "fallback"
    assert "fewer than 5 atlases" in " ".join(few["atlas-fusion"].priority_because)
    assert few["atlas-fusion"].priority < few["intensity-prior"].priority

    assert {lane.kind for lane in proposed("empty").values()} == {"fallback", "paper-only"}


def test_large_volumes_lower_the_priority() -> None:
    assert proposed("large")["intensity-prior"].priority < 800


def test_the_price_grows_with_folds_and_cases() -> None:
    holdout = proposed("hippocampus")["intensity-prior"].units
    folds = json.loads(CONTRACT)
    folds["validation"]["scheme"] = "kfold"
    kfold = proposed("hippocampus", json.dumps(folds))["intensity-prior"].units

    assert 5 < holdout < 60
    assert kfold > 3 * holdout
    assert 1 <= proposed("tiny")["intensity-prior"].units <= 10


@pytest.mark.parametrize(
    ("groups", "scheme", "folds"),
    [(104, "auto", 1), (19, "auto", 5), (4, "auto", 4), (104, "kfold", 5), (9, "holdout", 1)],
)
def test_folds_follow_the_number_of_groups(groups: int, scheme: str, folds: int) -> None:
    contract = CONTRACT.replace('"auto"', f'"{scheme}"').encode()

    assert work(contract, profile(groups=groups)).folds == folds


def test_starts_follow_the_profile() -> None:
    assert starts(INTENSITY_PRIOR, profile())["one_piece"] is True
    assert starts(INTENSITY_PRIOR, profile(components_median={"left": 3.0}))["one_piece"] is False
    assert list(starts(AVERAGE, profile())) == ["one_piece"]
    for template in TEMPLATES.values():
        for parameter in template.parameters:
            assert parameter.start in parameter.values
