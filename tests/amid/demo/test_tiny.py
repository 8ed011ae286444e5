"""The tiny task: the same bytes for one seed, and worth learning from."""

import time
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from amid.demo import tiny
from amid.errors import FolderExists, NoPermission
from tests.amid.sample import sitk


def contents(task: Path) -> dict[str, bytes]:
    return {
        path.relative_to(task).as_posix(): path.read_bytes()
        for path in sorted(task.rglob("*"))
        if path.is_file()
    }


def test_the_seed_decides_every_byte(tmp_path: Path) -> None:
    one = contents(tiny.make(tmp_path / "one"))
    two = contents(tiny.make(tmp_path / "two"))
    other = contents(tiny.make(tmp_path / "other", seed=1))

    assert one == two
    assert one["cases.csv"] == other["cases.csv"]
    assert one["images/p01-v1.nii.gz"] != other["images/p01-v1.nii.gz"]


def test_it_is_made_at_once(tmp_path: Path) -> None:
    before = time.process_time()
    tiny.make(tmp_path / "tiny")

    assert time.process_time() - before < 0.3


def test_it_is_never_made_over_something(tmp_path: Path) -> None:
    with pytest.raises(FolderExists) as caught:
        tiny.make(tmp_path)

    assert caught.value.exit_code == 2


def test_what_the_file_system_refuses_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)

    with pytest.raises(NoPermission, match="not permitted while making the tiny task"):
        tiny.make(tmp_path / "tiny")


def test_itk_reads_it(tmp_path: Path) -> None:
    task = tiny.make(tmp_path / "tiny")

    image = sitk.ReadImage(str(task / "images" / "p01-v1.nii.gz"))
    label = sitk.ReadImage(str(task / "labels" / "p01-v1.nii.gz"))

    assert image.GetSize() == (16, 16, 16)
    assert image.GetSpacing() == (1.0, 1.0, 1.5)
    assert label.GetOrigin() == image.GetOrigin()
    assert set(np.unique(sitk.GetArrayFromImage(label))) == {0, 1, 2}


def test_looking_at_the_image_beats_the_mean_shape_for_every_patient(tmp_path: Path) -> None:
    task = tiny.make(tmp_path / "tiny")
    names = [f"p{patient:02d}-v{visit}" for patient in range(1, 7) for visit in (1, 2)]
    image = {n: read(task / "images" / f"{n}.nii.gz").astype(float) for n in names}
    label = {n: read(task / "labels" / f"{n}.nii.gz") for n in names}

    gains, scores = [], []
    for left_out in sorted({name[:3] for name in names}):
        fit = [name for name in names if name[:3] != left_out]
        prior = np.stack([np.mean([label[n] == k for n in fit], axis=0) for k in range(3)])
        grey = np.concatenate([image[n].ravel() for n in fit])
        truth = np.concatenate([label[n].ravel() for n in fit])
        means = [grey[truth == k].mean() for k in range(3)]
        spread = grey[truth == 0].std()
        smooth = np.log(np.stack([gaussian_filter(p, 1.0) for p in prior]) + 1e-3)
        judged = [name for name in names if name[:3] == left_out]
        model, null = [], []
        for name in judged:
            likely = np.stack([-((image[name] - m) ** 2) / (2 * spread**2) for m in means])
            posterior = np.stack([gaussian_filter(p, 0.7) for p in smooth + likely])
            model.append(dice(posterior.argmax(axis=0), label[name]))
            null.append(dice(prior.argmax(axis=0), label[name]))
        gains.append(np.mean(model) - np.mean(null))
        scores.append((np.mean(model), np.mean(null)))

    assert min(gains) > 0.05
    assert 0.8 < np.mean([s[0] for s in scores]) < 0.9
    assert 0.5 < np.mean([s[1] for s in scores]) < 0.7


def read(path: Path) -> np.ndarray:
    return np.asarray(sitk.GetArrayFromImage(sitk.ReadImage(str(path))))


def dice(answer: np.ndarray, truth: np.ndarray) -> float:
    found = []
    for number in (1, 2):
        a, b = answer == number, truth == number
        found.append(2 * (a & b).sum() / (a.sum() + b.sum()))

    return float(np.mean(found))
