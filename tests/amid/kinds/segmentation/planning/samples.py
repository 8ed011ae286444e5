"""A contract and profiles to propose lanes for, and a way to run a template like a job."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import SimpleITK as sitk
from numpy.typing import NDArray

from amid.documents import View, ViewCase
from amid.kinds.segmentation.profile import SegmentationProfile
from amid.planning.template import Template, Value

LABELS = {"background": 0, "left": 3, "right": 5}
CONTRACT = json.dumps(
    {
        "task": {"id": "t", "kind": "segmentation", "dimensions": 3},
        "labels": LABELS,
        "metric": {"primary": "dice", "direction": "maximize"},
        "validation": {"scheme": "auto", "folds": 5, "fraction": 0.2, "inner": 0.1},
    }
)


def profile(**changes: object) -> SegmentationProfile:
    """Return a hippocampus-like profile with some fields changed."""
    fields: dict[str, object] = {
        "cases": 208,
        "groups": 104,
        "test": 52,
        "dimensions": 3,
        "modality": ("MR",),
        "size_median": (35, 50, 36),
        "spacing_median": (1.0, 1.0, 1.0),
        "anisotropy": 1.0,
        "voxels_median": 63_000,
        "foreground_fraction": {"left": 0.026, "right": 0.024},
        "components_median": {"left": 1.0, "right": 1.0},
        "intensity": {"p01": 10.0, "p99": 900.0, "mean": 300.0, "sd": 200.0},
        "groups_with_several_cases": 100,
        "findings": (),
    }

    return SegmentationProfile.model_validate({**fields, **changes})


def lay_out(
    folder: Path, names: Sequence[str], *, labels: bool, channels: Sequence[str] = ("image",)
) -> View:
    """Write a data view of small synthetic volumes: two boxes, a little apart from case to case."""
    cases = []

    for name in names:
        image, truth = volume(int(name[2:]))
        images = {}

        for channel in channels:
            images[channel] = f"images/{name}_{channel}.nii.gz"
            _save(image, folder / images[channel])

        if labels:
            _save(truth, folder / "labels" / f"{name}.nii.gz")

        label = f"labels/{name}.nii.gz" if labels else None
        cases.append(ViewCase(case=name, images=images, label=label))

    view = View(view="test", labels=LABELS, cases=tuple(cases))
    (folder / "cases.json").write_text(view.model_dump_json())

    return view


def volume(seed: int) -> tuple[sitk.Image, sitk.Image]:
    """Return an image and its labels, in an orientation that is neither LPS nor centred."""
    random = np.random.default_rng(seed)
    shape = (16, 15 + seed % 3, 17)
    truth = np.zeros(shape, np.uint8)
    low = [int(step) for step in random.integers(4, 6, 3)]
    truth[low[0] : low[0] + 6, low[1] : low[1] + 3, low[2] : low[2] + 6] = 3
    truth[low[0] : low[0] + 6, low[1] + 3 : low[1] + 6, low[2] : low[2] + 6] = 5
    level = np.array([0, 0, 0, 60, 0, 90], np.float32)[truth]
    image = 100 + level + random.normal(0, 8, shape).astype(np.float32)

    return _placed(image * 10 ** (seed % 3)), _placed(truth)


def run_job(
    folder: Path,
    template: Template,
    script: str,
    *,
    data: Path,
    params: Mapping[str, Value],
    model: Path | None = None,
    members: Mapping[str, Mapping[str, Path]] | None = None,
    fold: str = "f1",
    weights: Mapping[str, float] | None = None,
    files: Mapping[str, str] | None = None,
) -> Path:
    """Run a template's script as the job wrapper would, and return the job's out/ folder."""
    lay_out_job(folder, files or template.files(), params, model=model, weights=weights)

    for member, folds in (members or {}).items():
        for name, source in folds.items():
            shutil.copytree(source, folder / "in" / "members" / member / name)

    (folder / "job.json").write_text(json.dumps({"schema": "job/1", "fold": fold}))
    answer = subprocess.run(
        [sys.executable, "-s", "-E", "-B", f"in/code/{script}"],
        cwd=folder, env=environment(data, folder), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr

    return folder / "out"


def lay_out_job(
    folder: Path,
    files: Mapping[str, str],
    params: Mapping[str, Value],
    *,
    model: Path | None = None,
    weights: Mapping[str, float] | None = None,
) -> None:
    """Write code, attempt.toml and model into the folder of a job."""
    code = folder / "in" / "code"
    code.mkdir(parents=True)
    lines = ["[params]", *(f"{name} = {json.dumps(value)}" for name, value in params.items())]
    lines += ["[params.weights]"] if weights else []
    lines += [f'"{name}" = {weight}' for name, weight in (weights or {}).items()]
    (code / "attempt.toml").write_text("\n".join(lines) + "\n")

    for name, text in files.items():
        (code / name).write_text(text)

    if model is not None:
        shutil.copytree(model, folder / "in" / "model")


def voxels(path: Path) -> NDArray[np.uint8]:
    """Return the voxels of a volume."""
    return np.asarray(sitk.GetArrayFromImage(sitk.ReadImage(str(path))))


def dice(out: Path, name: str) -> float:
    """Return the mean Dice of both labels of a predicted case."""
    found = voxels(out / "predictions" / f"{name}.nii.gz")
    truth = sitk.GetArrayFromImage(volume(int(name[2:]))[1])
    scores = [
        2
        * np.sum((found == label) & (truth == label))
        / np.sum((found == label) * 1 + (truth == label))
        for label in (3, 5)
    ]

    return float(np.mean(scores))


def environment(data: Path, folder: Path, *, steps: int = 0, stop_at: str = "") -> dict[str, str]:
    """Return the variables that a job finds."""
    return {
        "AMID_DATA": os.path.relpath(data, folder),
        "AMID_OUT": "out",
        "AMID_MODEL": "in/model",
        "AMID_SEED": "1",
        "AMID_THREADS": "1",
        "AMID_JOB": "job.json",
        "AMID_STEPS": str(steps),
        "AMID_STOP_AT": stop_at,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }


def _placed(values: NDArray[np.float32] | NDArray[np.uint8]) -> sitk.Image:
    image: sitk.Image = sitk.GetImageFromArray(values)
    image.SetSpacing((1.0, 1.25, 2.0))
    image.SetOrigin((-20.0, 7.5, 3.0))
    image.SetDirection((0.0, -1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0))

    return image


def _save(image: sitk.Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    sitk.WriteImage(image, str(path))
