"""A label that no reference of a set holds says nothing about the model, and enters no score."""

import json
from pathlib import Path

import numpy as np
import pytest

from amid.documents import CaseScores
from amid.review.decode import decode
from amid.review.final import score
from tests.amid.review.test_review import reviewed
from tests.amid.world import Array, World, small_world, worse, write_image


def without_back(case: str, truth: Array) -> Array:
    del case
    return np.where(truth == 2, 0, truth)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A run of which no validation reference holds the label `back`."""
    made = small_world(tmp_path)
    for case in made.truth:
        hidden = without_back(case, made.truth[case])
        write_image(made.run / "vault/labels" / f"{case}.nii.gz", hidden, made.grid(case))

    made.predict(lambda case, truth: without_back(case, worse(case, truth)))
    return made


def test_the_mean_is_that_of_the_labels_that_occur_and_says_so(world: World) -> None:
    _, measured, out = reviewed(world)

    scores = {found.metric: found for found in measured.scores}
    assert scores["dice"].value == scores["dice:front"].value
    assert float(scores["dice"].value or 1) < 0.99
    assert "counted only where predicted, as no case holds it: back" in scores["dice"].status
    assert scores["dice"].status.startswith("ok")
    assert scores["dice:back"].value is None
    assert scores["dice:back"].status == "undefined: no case of this set holds the label"
    per_case = CaseScores.model_validate_json((out / "case-scores.json").read_text())
    assert all(c.values["dice"] == c.values["dice:front"] for c in per_case.cases)


def test_a_false_alarm_of_such_a_label_lowers_the_score_of_its_case(world: World) -> None:
    _, honest, _ = reviewed(world)
    alarmed_case = world.split.folds[0].validation[0]

    def alarmed(case: str, truth: Array) -> Array:
        guess = worse(case, truth)
        return guess if case == alarmed_case else without_back(case, guess)

    world.predict(alarmed)
    _, measured, _ = reviewed(world)

    assert float(measured.scores[0].value or 1) < float(honest.scores[0].value or 0)


def test_references_of_nothing_but_background_keep_the_convention(world: World) -> None:
    for case in world.truth:
        empty = np.zeros_like(world.truth[case])
        write_image(world.run / "vault/labels" / f"{case}.nii.gz", empty, world.grid(case))

    world.predict(lambda _case, truth: np.zeros_like(truth))

    _, measured, _ = reviewed(world)

    assert measured.scores[0].value == "1"


def test_the_test_set_is_scored_in_the_same_way(world: World) -> None:
    (case,) = world.split.test
    guess = without_back(case, world.truth[case])
    write_image(world.prediction("all", case), guess, world.grid(case))
    decode("segmentation", world.job / "in/predictions", world.job / "in/decoded")

    score(world.job / "job.json", world.job / "in/decoded", world.job / "out")

    told = json.loads((world.job / "out/test.json").read_text())
    assert "counted only where predicted, as no case holds it: back" in told["scores"][0]["status"]
    assert told["scores"][0]["value"] == "1"
