"""Voxels that a hidden label calls `ignore` are not scored, and nobody may predict them."""

import json
from pathlib import Path

import numpy as np
import pytest

from amid.errors import ContractWrong
from amid.kinds.segmentation.labels import IGNORED
from amid.review.measure.inputs import read_inputs
from amid.review.nulls import score_nulls
from amid.tasks import reading
from amid.tasks.contract import Contract
from tests.amid.review.test_review import codes, reviewed
from tests.amid.world import LABELS, Array, World, contract, put, small_world, write_image

TASK = """\
[task]
id = "knee"
kind = "segmentation"
[labels]
background = 0
{}
[metric]
primary = "dice"
direction = "maximize"
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A run whose hidden labels say nothing of their last two slices in x."""
    made = small_world(tmp_path)
    told = contract() | {"labels": LABELS | {"ignore": 255}}
    made.private["contract"] = put(made.run, told)
    made.write_job()
    for case in made.truth:
        hidden = made.truth[case].copy()
        hidden[:, :, -2:] = 255
        write_image(made.run / "vault/labels" / f"{case}.nii.gz", hidden, made.grid(case))

    return made


def right_where_known(case: str, truth: Array) -> Array:
    """Return a prediction that is right where labels say something, and odd elsewhere."""
    guess = truth.copy()
    guess[:, :, -2:] = 1
    guess[int(case[-2:]) % 8, 0, -1] = 2
    return guess


def test_what_is_predicted_where_nothing_is_known_costs_nothing(world: World) -> None:
    world.predict(right_where_known)

    _, measured, _ = reviewed(world)

    assert [score.value for score in measured.scores] == [
        "1" if not score.metric.startswith("hd95") else "0" for score in measured.scores
    ]


def test_a_prediction_may_not_hold_the_number_to_be_ignored(world: World) -> None:
    def ignoring(case: str, truth: Array) -> Array:
        guess = right_where_known(case, truth)
        guess[0, 0, 0] = 255
        return guess

    world.predict(ignoring)

    assert "PRED_LABEL_SET" in codes(world)


def test_equal_to_the_label_means_equal_where_it_says_something(world: World) -> None:
    world.predict(right_where_known)

    assert "PRED_EQUALS_LABEL" in codes(world)


def test_null_models_do_not_learn_it_either(world: World) -> None:
    inputs = read_inputs(world.job / "job.json")

    scores = {str(told["null"]): json.dumps(told["score"]) for told in score_nulls(inputs)}

    assert set(scores) == {"empty", "majority", "mean-shape"}
    assert inputs.rules.labels == LABELS
    assert inputs.rules.ignore == 255
    assert IGNORED not in LABELS.values()


def test_the_contract_keeps_it_apart_from_the_labels(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text(TASK.format("bone = 1\nignore = 255"))

    found: Contract = reading.load(tmp_path)

    assert found.foreground == {"bone": 1}
    assert found.predicted == {"background": 0, "bone": 1}
    assert found.ignore == 255
    assert np.uint8(found.ignore) == 255


def test_a_contract_of_nothing_but_what_is_to_be_ignored_is_refused(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text(TASK.format("ignore = 255"))

    with pytest.raises(ContractWrong, match="at least one label besides background"):
        reading.load(tmp_path)
