"""Lanes are proposed with eight filled fields, grounded in the profile's numbers, and priced."""

import json
from dataclasses import asdict

import pytest

from amid.lanes.catalogue import AVERAGE, INTENSITY_PRIOR, TEMPLATES
from amid.lanes.offers import finalizer_units, offers
from amid.lanes.plan import work
from ledger.events.work import LaneProposed
from tests.amid.lanes.samples import CONTRACT, profile

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


def proposed(name: str, contract: str = CONTRACT) -> dict[str, LaneProposed]:
    given = PROFILES[name].model_dump_json().encode()

    return {
        lane.lane: LaneProposed(**asdict(lane), by="planner")
        for lane in offers(contract.encode(), given)
    }


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
    assert len({lane.family for lane in lanes if lane.kind == "executable"}) == 2


def test_networks_are_ranked_down_with_the_reason_never_dropped() -> None:
    lanes = proposed("hippocampus")

    for name in ("small-unet", "nnunet"):
        assert lanes[name].kind == "paper-only"
        assert lanes[name].units == 0
        assert "not executable in this version" in lanes[name].priority_because[0]
        assert lanes[name].priority < lanes["atlas-fusion"].priority


def test_executable_lanes_have_a_template_to_write() -> None:
    for lane in proposed("hippocampus").values():
        assert (lane.kind == "executable") == (lane.template in TEMPLATES)


def test_what_does_not_fit_becomes_a_fallback_below_what_does() -> None:
    few = proposed("few")
    assert few["atlas-fusion"].kind == "fallback"
    assert "fewer than 5 atlases" in " ".join(few["atlas-fusion"].priority_because)
    assert few["atlas-fusion"].priority < few["intensity-prior"].priority

    assert {lane.kind for lane in proposed("empty").values()} == {"fallback", "paper-only"}

    detection = CONTRACT.replace('"segmentation"', '"detection"')
    assert "executable" not in {lane.kind for lane in proposed("few", detection).values()}


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


def test_the_finalizer_has_a_price() -> None:
    given = profile().model_dump_json().encode()

    assert finalizer_units(CONTRACT.encode(), given, members=4) > finalizer_units(
        CONTRACT.encode(), given, members=1
    )


def test_starts_follow_the_profile() -> None:
    assert INTENSITY_PRIOR.starts(profile())["one_piece"] is True
    assert INTENSITY_PRIOR.starts(profile(components_median={"left": 3.0}))["one_piece"] is False
    assert list(AVERAGE.starts(profile())) == ["one_piece"]
    for template in TEMPLATES.values():
        for parameter in template.parameters:
            assert parameter.start in parameter.values
