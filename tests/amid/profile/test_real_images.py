"""Real images: planted defects are found, odd geometry is not taken for one."""

import shutil
from pathlib import Path

import pytest

from amid.data.vault import Vault
from amid.errors import DataProblems
from amid.kinds.segmentation.profile import Labelled
from amid.profile.inventory import Taken, take
from amid.tasks import reading, table
from tests.amid.sample import shared


def taken(task: Path) -> Taken:
    contract = reading.load(task)
    vault = Vault.create(task.parent / "vault", bytes(32))
    return take(contract, table.read(contract, task), task, seed=0, vault=vault)


def real(tmp_path: Path, image: Path, label: Path | None, foreground: str) -> Path:
    """Return a task of one real case."""
    task = tmp_path / "real"
    task.mkdir()
    shutil.copy(image, task / "image.nii.gz")
    if label is not None:
        shutil.copy(label, task / "label.nii.gz")

    lines = [
        "case,patient,split,image,label",
        f"a,p,train,image.nii.gz,{'label.nii.gz' * bool(label)}",
    ]
    (task / "cases.csv").write_text("\n".join(lines) + "\n")
    (task / "task.toml").write_text(
        '[task]\nid = "real"\nkind = "segmentation"\n'
        f"[labels]\nbackground = 0\n{foreground}\n"
        '[metric]\nprimary = "dice"\ndirection = "maximize"\n'
    )
    return task


def test_hippocampus_118_has_no_label(tmp_path: Path) -> None:
    defects = shared("hippocampus", "defects")

    task = real(tmp_path, defects / "hippocampus_118.nii.gz", None, "body = 1")

    assert only_problem_of(task) == ("missing-label", "has no label")


def test_hippocampus_281_has_the_label_of_another_organ(tmp_path: Path) -> None:
    defects = shared("hippocampus", "defects")
    label = defects / "label_hippocampus_281.nii.gz"

    task = real(tmp_path, defects / "hippocampus_118.nii.gz", label, "body = 1")

    says = "has size 512×512×94, its image 37×52×33"
    assert only_problem_of(task) == ("label-geometry", says)


def test_isles_flair_and_mask_stand_on_different_grids(tmp_path: Path) -> None:
    raw = shared("isles22_case0009", "rawdata", "sub-strokecase0009", "ses-0001")
    mask = shared("isles22_case0009", "derivatives", "sub-strokecase0009", "ses-0001")
    flair = raw / "sub-strokecase0009_ses-0001_flair.nii.gz"

    task = real(tmp_path, flair, next(mask.glob("*_msk.nii.gz")), "lesion = 1")

    says = "has size 112×112×73, its image 512×512×29"
    assert only_problem_of(task) == ("label-geometry", says)


@pytest.mark.parametrize(
    ("image", "label", "foreground"),
    [
        (
            "isles22_case0009/rawdata/*/*/*_dwi.nii.gz",
            "isles22*/der*/*/*/*_msk.nii.gz",
            "lesion = 1",
        ),
        (
            "msd_spleen2_crop/sub-spleen2_ct.nii.gz",
            "msd_spleen2_crop/*_seg-manual.nii.gz",
            "spleen = 1",
        ),
        ("sct_cord/t1/t1w.nii.gz", "sct_cord/t1/*_seg-manual.nii.gz", "cord = 1"),
        ("sct_cord/t2/t2.nii.gz", "sct_cord/t2/*_seg-manual.nii.gz", "cord = 1"),
        ("sct_cord/t2s/t2s.nii.gz", "sct_cord/t2s/t2s_seg.nii.gz", "cord = 1"),
    ],
)
def test_real_oblique_and_anisotropic_pairs_are_accepted(
    tmp_path: Path, image: str, label: str, foreground: str
) -> None:
    root = shared("sct_cord").parent
    task = real(tmp_path, next(root.glob(image)), next(root.glob(label)), foreground)

    (measured,) = taken(task).measured

    assert isinstance(measured.label, Labelled)
    assert min(measured.label.fraction.values()) > 0


def only_problem_of(task: Path) -> tuple[str, str]:
    with pytest.raises(DataProblems) as caught:
        taken(task)

    (problem,) = caught.value.problems
    return problem.code, problem.says
