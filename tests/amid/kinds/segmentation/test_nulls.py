"""Null models learn from fit labels only and look at no image."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from amid.documents import CaseScores, Fold
from amid.kinds.segmentation.nulls import NULLS, Counts, predict, resampled
from amid.review.measure.inputs import read_inputs
from amid.review.nulls import score_nulls
from ledger.events.data import Score
from tests.amid.world import World, case_of, geometry, make_world, small_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return small_world(tmp_path)


def scores(world: World, empty: str = "one-if-both-empty") -> dict[str, Score]:
    inputs = read_inputs(world.job / "job.json")
    told = score_nulls(replace(inputs, rules=replace(inputs.rules, empty=empty)))
    return {str(n["null"]): Score.model_validate_json(json.dumps(n["score"])) for n in told}


def test_each_null_has_a_score_over_every_validation_case(world: World) -> None:
    found = scores(world)
    assert tuple(found) == NULLS
    assert all((s.metric, s.cases, s.groups) == ("dice", 10, 10) for s in found.values())
    values = [float(found[null].value or -1) for null in NULLS]
    assert 0 == values[0] < values[1] < values[2] < 1


def test_a_validation_label_changes_no_prediction_for_its_own_fold(tmp_path: Path) -> None:
    truth = {f"c-{i:04d}": np.zeros((8, 10, 12), np.uint8) for i in range(1, 5)}
    truth["c-0001"][2:5, 2:6, 2:6] = 1
    truth["c-0002"][2:5, 2:6, 2:6] = 1
    truth["c-0003"][6:, 8:, 8:] = 2
    truth["c-0004"][6:, 8:, 8:] = 2
    one, two = ("c-0001", "c-0002"), ("c-0003", "c-0004")
    folds = [
        Fold(fold="f1", fit=one, validation=two),
        Fold(fold="f2", fit=two, validation=one),
    ]
    world = make_world(tmp_path, truth, folds, [], [])
    assert {s.value for s in scores(world, "skip").values()} == {"0"}


def test_the_mean_shape_of_equal_labels_is_the_label(tmp_path: Path) -> None:
    label = np.zeros((16, 24, 48), np.uint8)
    label[4:8, 6:12, 12:24] = 1
    label[8:12, 6:12, 12:24] = 2
    truth = {f"c-{i:04d}": label for i in range(1, 4)}
    folds = [Fold(fold="f1", fit=("c-0001", "c-0002"), validation=("c-0003",))]
    world = make_world(tmp_path, truth, folds, [], [])
    assert scores(world)["mean-shape"].value == "1"


def test_the_mean_shape_follows_the_orientation_of_the_image() -> None:
    label = np.zeros((16, 16, 16), np.int64)
    label[:8] = 1
    counts = Counts([1], 3)
    counts.add(label, resampled(label, (48, 48, 48)))
    upright = geometry((16, 16, 16)).model_copy(
        update={"direction": (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)}
    )
    turned = upright.model_copy(
        update={"direction": (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0)}
    )
    learned = counts.learned()
    one = predict("mean-shape", learned, case_of("c-0001", "g-0001", "train", upright))
    two = predict("mean-shape", learned, case_of("c-0001", "g-0001", "train", turned))
    assert np.array_equal(one, label)
    assert np.array_equal(two, label[::-1])


def test_a_rare_target_is_not_predicted_as_nothing() -> None:
    counts = Counts([1], 2)
    for place in range(10):
        label = np.zeros((48, 48), np.int64)
        label[place * 2, 5 + place % 3] = 1
        counts.add(label, label)

    assert (counts.learned().shape == 1).sum() == 1


def test_no_fit_label_at_all_predicts_background() -> None:
    assert not Counts([1], 2).learned().shape.any()


def test_the_process_writes_its_documents(world: World) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-m", "amid.review.nulls"],
        cwd=world.job, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads((world.job / "out/nulls.json").read_text())
    assert [n["null"] for n in told] == list(NULLS)
    for null in told:
        per_case = CaseScores.model_validate_json(json.dumps(null["per_case"]))
        assert (per_case.of, per_case.part) == (null["null"], "validation")
        assert len(per_case.cases) == 10


def test_a_missing_blob_is_one_sentence(world: World) -> None:
    world.write_job(contract="0" * 64)
    done = subprocess.run(
        [sys.executable, "-I", "-m", "amid.review.nulls"],
        cwd=world.job, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 5
    assert done.stderr.startswith("nulls: blob 000000000000 cannot be read")
    assert "Traceback" not in done.stderr
