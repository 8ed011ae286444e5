"""Templates run as jobs: right grids and labels, the same bytes twice, better than guessing."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import SimpleITK as sitk

from amid.data.form import apart, header_of
from amid.kinds.segmentation.planning.catalogue import (
    ATLAS_FUSION,
    AVERAGE,
    INTENSITY_PRIOR,
    TEMPLATES,
    starts,
)
from amid.planning.template import Template
from tests.amid.kinds.segmentation.planning.samples import (
    dice,
    lay_out,
    profile,
    run_job,
    volume,
    voxels,
)

FIT = [f"c-{number:04}" for number in range(1, 9)]
HELD = [f"c-{number:04}" for number in range(21, 24)]
TRAINED = [INTENSITY_PRIOR, ATLAS_FUSION]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("data")
    lay_out(folder / "train", FIT, labels=True)
    lay_out(folder / "predict", HELD, labels=False)

    return folder / "train", folder / "predict"


def both(folder: Path, template: Template, data: tuple[Path, Path]) -> tuple[Path, Path]:
    """Train and predict; return the two out/ folders."""
    params = starts(template, profile(cases=len(FIT)))
    model = run_job(folder / "train", template, "train.py", data=data[0], params=params)
    found = run_job(
        folder / "predict", template, "predict.py", data=data[1], params=params, model=model
    )

    return model, found


@pytest.fixture(scope="module")
def outputs(
    tmp_path_factory: pytest.TempPathFactory, data: tuple[Path, Path]
) -> dict[str, tuple[Path, Path]]:
    folder = tmp_path_factory.mktemp("jobs")

    return {template.name: both(folder / template.name, template, data) for template in TRAINED}


@pytest.mark.parametrize("template", TRAINED, ids=lambda template: template.name)
def test_predictions_have_their_images_grid_and_the_views_labels(
    template: Template, outputs: dict[str, tuple[Path, Path]]
) -> None:
    _, out = outputs[template.name]

    for name in HELD:
        image, _ = volume(int(name[2:]))
        labels = sitk.ReadImage(str(out / "predictions" / f"{name}.nii.gz"))
        shares = sitk.ReadImage(str(out / "probabilities" / f"{name}.nii.gz"))

        for found in (labels, shares):
            assert found.GetSize() == image.GetSize()
            assert found.GetSpacing() == image.GetSpacing()
            assert found.GetOrigin() == pytest.approx(image.GetOrigin())
            assert found.GetDirection() == pytest.approx(image.GetDirection())

        assert labels.GetPixelIDValue() == sitk.sitkUInt8
        assert shares.GetPixelIDValue() == sitk.sitkVectorUInt8
        assert shares.GetNumberOfComponentsPerPixel() == 3
        assert set(np.unique(voxels(out / "predictions" / f"{name}.nii.gz"))) == {0, 3, 5}

    assert sorted(path.name for path in (out / "predictions").iterdir()) == [
        f"{name}.nii.gz" for name in HELD
    ]


@pytest.mark.parametrize("template", TRAINED, ids=lambda template: template.name)
def test_held_out_cases_are_segmented(
    template: Template, outputs: dict[str, tuple[Path, Path]]
) -> None:
    _, out = outputs[template.name]

    assert min(dice(out, name) for name in HELD) > 0.75


@pytest.mark.parametrize("template", TRAINED, ids=lambda template: template.name)
def test_the_same_job_gives_the_same_bytes(
    template: Template,
    outputs: dict[str, tuple[Path, Path]],
    data: tuple[Path, Path],
    tmp_path: Path,
) -> None:
    again = both(tmp_path, template, data)

    for first, second in zip(outputs[template.name], again, strict=True):
        assert tree(first) == tree(second)


def test_the_average_of_members_is_at_least_near_the_better_one(
    outputs: dict[str, tuple[Path, Path]], data: tuple[Path, Path], tmp_path: Path
) -> None:
    members = {f"a-{name}": {"f1": out} for name, (_, out) in outputs.items()}
    weights = dict.fromkeys(members, 1.0)

    out = run_job(
        tmp_path / "job", AVERAGE, "predict.py",
        data=data[1], params={"one_piece": True}, members=members, weights=weights,
    )  # fmt: skip

    best = max(np.mean([dice(found, name) for name in HELD]) for _, found in outputs.values())
    assert np.mean([dice(out, name) for name in HELD]) > best - 0.03


def test_a_single_member_averages_to_itself_whatever_the_fold(
    outputs: dict[str, tuple[Path, Path]], data: tuple[Path, Path], tmp_path: Path
) -> None:
    _, found = outputs["intensity-prior"]
    folds = {"f1": found, "f2": found}

    for fold in ("f2", "all"):
        out = run_job(
            tmp_path / fold, AVERAGE, "predict.py",
            data=data[1], params={"one_piece": True}, members={"a-x": folds},
            weights={"a-x": 0.4}, fold=fold,
        )  # fmt: skip

        for name in HELD:
            member = voxels(found / "probabilities" / f"{name}.nii.gz").astype(int)
            average = voxels(out / "probabilities" / f"{name}.nii.gz").astype(int)
            # shares of 1/255 need not add up to exactly 1, and are made to
            assert np.abs(member - average).max() <= 1


def test_a_member_without_probabilities_votes_with_its_labels(
    outputs: dict[str, tuple[Path, Path]], data: tuple[Path, Path], tmp_path: Path
) -> None:
    _, found = outputs["intensity-prior"]
    shutil.copytree(found / "predictions", tmp_path / "member" / "predictions")

    out = run_job(
        tmp_path / "job", AVERAGE, "predict.py",
        data=data[1], params={"one_piece": False},
        members={"a-x": {"f1": tmp_path / "member"}}, weights={"a-x": 1.0},
    )  # fmt: skip

    for name in HELD:
        path = f"predictions/{name}.nii.gz"
        assert np.array_equal(voxels(out / path), voxels(found / path))


def test_two_channels_are_used(tmp_path: Path) -> None:
    lay_out(tmp_path / "train", FIT[:5], labels=True, channels=("t1", "t2"))
    lay_out(tmp_path / "predict", HELD[:1], labels=False, channels=("t1", "t2"))

    for template in TRAINED:
        _, out = both(
            tmp_path / template.name, template, (tmp_path / "train", tmp_path / "predict")
        )

        assert dice(out, HELD[0]) > 0.7


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=lambda template: template.name)
def test_a_template_stands_alone_and_is_typed(
    template: Template, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pytest.importorskip("mypy")
    for name, text in template.files().items():
        (tmp_path / name).write_text(text)
        assert "import amid" not in text
        assert "from amid" not in text

    answer = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports",
            "--untyped-calls-exclude=SimpleITK", "--follow-imports=silent",
            f"--cache-dir={tmp_path_factory.getbasetemp() / 'mypy'}", *template.files(),
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stdout


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_label_that_training_never_shows_is_never_predicted(tmp_path: Path) -> None:
    view = lay_out(tmp_path / "train", FIT[:4], labels=True)
    lay_out(tmp_path / "predict", HELD[:1], labels=False)
    for folder in ("train", "predict"):
        text = (tmp_path / folder / "cases.json").read_text()
        (tmp_path / folder / "cases.json").write_text(text.replace('"right":5', '"right":5,"x":9'))
    assert len(view.cases) == 4

    for template in TRAINED:
        _, out = both(
            tmp_path / template.name, template, (tmp_path / "train", tmp_path / "predict")
        )

        assert 9 not in voxels(out / "predictions" / f"{HELD[0]}.nii.gz")


def test_files_are_taken_in_the_order_of_the_view_only(
    outputs: dict[str, tuple[Path, Path]], data: tuple[Path, Path], tmp_path: Path
) -> None:
    """A case is predicted the same whichever cases stand beside it."""
    lay_out(tmp_path / "predict", HELD[1:2], labels=False)

    for template in TRAINED:
        model, found = outputs[template.name]
        params = starts(template, profile(cases=len(FIT)))
        out = run_job(
            tmp_path / template.name, template, "predict.py",
            data=tmp_path / "predict", params=params, model=model,
        )  # fmt: skip

        path = f"probabilities/{HELD[1]}.nii.gz"
        assert (out / path).read_bytes() == (found / path).read_bytes()


@pytest.mark.parametrize("template", TRAINED, ids=lambda template: template.name)
def test_cases_to_tune_on_are_not_learnt_from(
    template: Template, data: tuple[Path, Path], tmp_path: Path
) -> None:
    """Given a case set aside to tune on, then its bytes do not reach the model."""
    params = starts(template, profile(cases=len(FIT)))
    models = []

    for other in (1, 2):
        place = tmp_path / f"data{other}"
        shutil.copytree(data[0], place)
        view = json.loads((place / "cases.json").read_text())
        set_aside, replaced = FIT[-1], FIT[other - 1]
        view["tune"] = [set_aside]
        for kind in ("images", "labels"):
            for path in (place / kind).glob(f"{set_aside}*"):
                shutil.copy(path.with_name(path.name.replace(set_aside, replaced)), path)

        (place / "cases.json").write_text(json.dumps(view))
        job = tmp_path / f"job{other}"
        models.append(run_job(job, template, "train.py", data=place, params=params))

    assert tree(models[0]) == tree(models[1])


@pytest.mark.parametrize("value", [1e6, 3e38])
def test_one_wild_voxel_in_every_image_costs_next_to_nothing(
    outputs: dict[str, tuple[Path, Path]], tmp_path: Path, value: float
) -> None:
    lay_out(tmp_path / "train", FIT, labels=True)
    lay_out(tmp_path / "predict", HELD, labels=False)
    for path in tmp_path.glob("*/images/*.nii.gz"):
        image = sitk.Cast(sitk.ReadImage(str(path)), sitk.sitkFloat32)
        image[0, 0, 0] = value
        sitk.WriteImage(image, str(path))

    _, out = both(tmp_path / "job", INTENSITY_PRIOR, (tmp_path / "train", tmp_path / "predict"))

    for name in HELD:
        plain = dice(outputs[INTENSITY_PRIOR.name][1], name)
        assert dice(out, name) == pytest.approx(plain, abs=0.02)


def test_predictions_say_their_place_in_both_forms(
    outputs: dict[str, tuple[Path, Path]],
) -> None:
    path = outputs[INTENSITY_PRIOR.name][1] / "predictions" / f"{HELD[0]}.nii.gz"
    header = header_of(path.read_bytes())

    assert header is not None
    assert header.sform is not None
    assert header.qform is not None
    assert apart(header.sform, header.qform, header.dims) < 0.01
