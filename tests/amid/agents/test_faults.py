"""Planted faults really are the mistakes that their reason codes name."""

from pathlib import Path

import numpy as np
import pytest
import SimpleITK as sitk

from amid.agents.faults import FAULTS, plant
from amid.kinds.segmentation.planning.catalogue import INTENSITY_PRIOR, TEMPLATES, starts
from amid.planning.template import Template
from tests.amid.kinds.segmentation.planning.samples import lay_out, profile, run_job, voxels

HELD = ("c-0021", "c-0022")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a view to predict and a trained model."""
    made = tmp_path_factory.mktemp("faults")
    lay_out(made / "train", ["c-0001", "c-0002", "c-0003"], labels=True)
    lay_out(made / "predict", HELD, labels=False)
    run_job(
        made / "job", INTENSITY_PRIOR, "train.py",
        data=made / "train", params=starts(INTENSITY_PRIOR, profile()),
    )  # fmt: skip

    return made


def faulty(folder: Path, name: str) -> Path:
    return run_job(
        folder / name, INTENSITY_PRIOR, "predict.py",
        data=folder / "predict", params=starts(INTENSITY_PRIOR, profile()),
        model=folder / "job" / "out", files=plant(name, INTENSITY_PRIOR.files()),
    ) / "predictions"  # fmt: skip


def test_a_spacing_that_is_not_the_images(folder: Path) -> None:
    found = sitk.ReadImage(str(faulty(folder, "wrong-spacing") / f"{HELD[0]}.nii.gz"))
    image = sitk.ReadImage(str(folder / "predict" / "images" / f"{HELD[0]}_image.nii.gz"))

    assert found.GetSize() == image.GetSize()
    assert found.GetSpacing() != pytest.approx(image.GetSpacing())


def test_a_case_without_a_prediction(folder: Path) -> None:
    found = faulty(folder, "missing-case")

    assert [path.name for path in found.iterdir()] == [f"{HELD[1]}.nii.gz"]


def test_a_label_that_the_task_does_not_have(folder: Path) -> None:
    found = voxels(faulty(folder, "unknown-label") / f"{HELD[0]}.nii.gz")

    assert set(np.unique(found)) == {7, 10, 12}


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=lambda template: template.name)
@pytest.mark.parametrize("name", sorted(FAULTS))
def test_every_fault_can_be_planted_in_every_template(name: str, template: Template) -> None:
    files = template.files()

    assert plant(name, files) != files
