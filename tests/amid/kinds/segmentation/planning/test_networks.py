"""Networks train in counted steps, stop at checkpoints, and repeat to the byte."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import SimpleITK as sitk

from amid.kinds.segmentation.planning.catalogue import NETWORKS, SMALL_UNET, starts
from amid.planning.template import Template, Value
from tests.amid.kinds.segmentation.planning.samples import (
    dice,
    environment,
    lay_out,
    lay_out_job,
    profile,
    volume,
    voxels,
)

FIT = [f"c-{number:04}" for number in range(1, 7)]
HELD = ["c-0021", "c-0022"]
SMALL: Mapping[str, Value] = {"width": 4, "patch": 16, "passes": 2}
LONG = 150
STOPPING = "    return str(number) == STOP_AT"
pytestmark = pytest.mark.timeout(300)  # the libraries take long to load on a busy machine
IDS = [template.name for template in NETWORKS]


@dataclass(frozen=True)
class Job:
    """One job of the session below."""

    name: str
    template: Template
    script: str = "train.py"
    steps: int = 3
    stop_at: str = ""
    model: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


def asks(number: int) -> dict[str, str]:
    """Return the code with a runtime in it that asks for an end at a checkpoint."""
    text = SMALL_UNET.files()["steps.py"]
    assert text.count(STOPPING) == 1
    made = f"    if number == {number}:\n        ASK.parent.mkdir()\n        ASK.touch()\n"

    return {"steps.py": text.replace(STOPPING, made + STOPPING)}


def jobs() -> list[Job]:
    made = []

    for template in NETWORKS:
        for time in ("one", "two"):
            train = f"{template.name}-train-{time}"
            predict = f"{template.name}-predict-{time}"
            made += [Job(train, template), Job(predict, template, "predict.py", model=train)]

    return [
        *made,
        Job("asked", SMALL_UNET, steps=20, files=asks(3)),
        Job("told", SMALL_UNET, steps=20, stop_at="3"),
        Job("whole", SMALL_UNET, steps=20),
        Job("no-steps", SMALL_UNET, steps=0),
        Job("long", SMALL_UNET, steps=LONG),
        Job("long-predict", SMALL_UNET, "predict.py", model="long"),
        Job("one-case", SMALL_UNET, "predict.py", model="long"),
    ]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which every job has run."""
    folder = tmp_path_factory.mktemp("networks")
    lay_out(folder / "train", FIT, labels=True)
    lay_out(folder / "predict", HELD, labels=False)
    lay_out(folder / "one", HELD[1:], labels=False)
    listed = []

    for job in jobs():
        place = folder / job.name
        params = {**starts(job.template, profile()), **SMALL}
        # the model is copied when its job has ended: a link is followed later
        lay_out_job(place, {**job.template.files(), **job.files}, params)
        if job.model:
            (place / "in" / "model").symlink_to(folder / job.model / "out")
        view = "one" if job.name == "one-case" else job.script.removesuffix(".py")
        env = environment(folder / view, place, steps=job.steps, stop_at=job.stop_at)
        listed.append({"folder": str(place), "script": job.script, "env": env})

    (folder / "jobs.json").write_text(json.dumps(listed))
    warm = Path(__file__).with_name("warm.py")
    subprocess.run([sys.executable, "-W", "ignore", warm, folder / "jobs.json"], check=True)

    return folder


def out(done: Path, name: str) -> Path:
    """Return what a job left, once it is known to have succeeded."""
    assert (done / name / "status").read_text() == "0", (done / name / "said.txt").read_text()

    return done / name / "out"


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("name", IDS)
def test_two_processes_give_the_same_weights_and_predictions(done: Path, name: str) -> None:
    for what in ("train", "predict"):
        one, two = (tree(out(done, f"{name}-{what}-{time}")) for time in ("one", "two"))

        assert one == two

    assert "model.safetensors" in tree(out(done, f"{name}-train-one"))


@pytest.mark.parametrize("name", IDS)
def test_predictions_have_their_images_grid_and_the_views_labels(done: Path, name: str) -> None:
    found = out(done, f"{name}-predict-one")

    for case in HELD:
        image, _ = volume(int(case[2:]))
        labels = sitk.ReadImage(str(found / "predictions" / f"{case}.nii.gz"))
        shares = sitk.ReadImage(str(found / "probabilities" / f"{case}.nii.gz"))

        for one in (labels, shares):
            assert one.GetSize() == image.GetSize()
            assert one.GetDirection() == pytest.approx(image.GetDirection())

        assert set(np.unique(voxels(found / "predictions" / f"{case}.nii.gz"))) <= {0, 3, 5}
        assert shares.GetNumberOfComponentsPerPixel() == 3


def test_weights_are_safetensors_and_nothing_is_pickled(done: Path) -> None:
    for template in NETWORKS:
        left = tree(out(done, f"{template.name}-train-one"))

        assert sorted(left) == ["model.safetensors", "network.json"]
        size = int.from_bytes(left["model.safetensors"][:8], "little")
        head = json.loads(left["model.safetensors"][8 : 8 + size])
        assert head["__metadata__"] == {"format": "pt"}


def test_a_stop_asked_for_and_a_stop_told_beforehand_give_the_same_bytes(done: Path) -> None:
    asked, told, whole = (tree(out(done, name)) for name in ("asked", "told", "whole"))

    assert asked == told
    assert json.loads(asked["stopped.json"]) == {"stopped_at": 3}
    assert "stopped.json" not in whole
    assert asked["model.safetensors"] != whole["model.safetensors"]


def test_a_training_without_steps_says_so(done: Path) -> None:
    assert (done / "no-steps" / "status").read_text() == "1"
    assert "AMID_STEPS must say" in (done / "no-steps" / "said.txt").read_text()


def test_a_short_training_already_sees_the_boxes(done: Path) -> None:
    found = out(done, "long-predict")

    assert min(dice(found, name) for name in HELD) > 0.6


def test_a_case_is_predicted_the_same_whatever_stands_beside_it(done: Path) -> None:
    path = f"probabilities/{HELD[1]}.nii.gz"
    assert (out(done, "one-case") / path).read_bytes() == (
        out(done, "long-predict") / path
    ).read_bytes()
