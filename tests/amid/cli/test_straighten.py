"""`amid straighten`: one right-angled position in both forms, or a word why not."""

from pathlib import Path

import numpy as np
import pytest

from amid.cli import call
from amid.data import form
from amid.data.image import read
from tests.amid.data.made import LAS, nifti, voxels, write

SHEARED = ((1, 0.2, 0, -3), (0, 1, 0, -2), (0, 0, 1.5, -1))
AT_RAS = (0.0, 0.0, 0.0, -3.0, -2.0, -1.0)


def test_a_sheared_image_becomes_readable_and_its_voxels_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = write(tmp_path / "a.nii.gz", nifti(sform=SHEARED))

    assert call(["straighten", str(given), "-o", str(tmp_path / "b.nii.gz")]) == 0

    assert "axes were 11.310° from right angles" in capsys.readouterr().out
    assert np.array_equal(read(tmp_path / "b.nii.gz").voxels, voxels().transpose())
    header = form.header_of((tmp_path / "b.nii.gz").read_bytes())
    assert header is not None
    assert header.sform is not None
    assert header.qform is not None
    assert form.apart(header.sform, header.qform, header.dims) < 1e-4


@pytest.mark.parametrize(("which", "x"), [("sform", -1.0), ("qform", 1.0)])
def test_of_two_positions_the_one_that_is_named_counts(
    tmp_path: Path, which: str, x: float, capsys: pytest.CaptureFixture[str]
) -> None:
    given = write(tmp_path / "a.nii", nifti(sform=LAS, qform=AT_RAS))

    assert call(["straighten", str(given), "-o", str(tmp_path / "b.nii")]) == 2
    assert "qform and sform lie 8.00 mm apart" in capsys.readouterr().err
    assert call(["straighten", str(given), "-o", str(tmp_path / "b.nii"), "--form", which]) == 0

    header = form.header_of((tmp_path / "b.nii").read_bytes())
    assert header is not None
    assert header.sform is not None
    assert header.sform[0][0] == x


def test_nothing_is_written_over_and_nothing_made_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = write(tmp_path / "a.nii", nifti(sform=None))

    assert call(["straighten", str(given), "-o", str(given)]) == 2
    assert call(["straighten", str(given), "-o", str(tmp_path / "b.nii")]) == 2
    assert "the file gives no position" in capsys.readouterr().err
