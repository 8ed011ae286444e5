"""Headers are read as the format means them, by ITK and by the reader of labels alike."""

import gzip
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from amid.data import form
from amid.data.image import Volume, read
from amid.data.nifti import Refused, read_header, read_voxels
from tests.amid.data.made import LAS, RAS, nifti, voxels, write

SKEWED = ((1, 0.001, 0, -3), (0, 1, 0, -2), (0, 0, 1.5, -1))


def by_itk(folder: Path, content: bytes, suffix: str = ".nii.gz") -> Volume:
    path = write(folder / f"given{suffix}", content)
    meant = folder / f"meant{suffix}"
    meant.write_bytes(form.as_read(path.read_bytes(), suffix))
    return read(meant)


@pytest.mark.parametrize("suffix", [".nii", ".nii.gz"])
@pytest.mark.parametrize("scaling", [(0, 5), (float("nan"), 5), (2, float("inf"))])
def test_a_slope_of_zero_or_no_number_scales_nothing(
    tmp_path: Path, scaling: tuple[float, float], suffix: str
) -> None:
    volume = by_itk(tmp_path, nifti(scaling=scaling), suffix)

    assert np.unique(volume.voxels).tolist() == [0, 1, 2]
    assert volume.voxels.dtype == np.uint8


def test_a_scaling_that_counts_is_left_alone(tmp_path: Path) -> None:
    content = nifti(scaling=(2, 5))

    assert form.as_read(content, ".nii") is content
    assert np.unique(by_itk(tmp_path, content).voxels).tolist() == [5, 7, 9]


def test_a_skew_of_a_thousandth_is_read_on_the_nearest_right_angled_grid(tmp_path: Path) -> None:
    volume = by_itk(tmp_path, nifti(sform=SKEWED))
    turn = np.asarray(volume.geometry.direction).reshape(3, 3)

    assert np.abs(turn.T @ turn - np.eye(3)).max() < 1e-6
    assert np.array_equal(volume.voxels, voxels().transpose())
    centre = np.asarray(SKEWED)[:, :3] @ [3.5, 2.5, 1.5] + np.asarray(SKEWED)[:, 3]
    steps = turn @ (np.asarray(volume.geometry.spacing) * [3.5, 2.5, 1.5])
    assert np.allclose(steps + volume.geometry.origin, centre * [-1, -1, 1], atol=1e-5)


def test_a_larger_skew_is_left_for_a_person() -> None:
    content = nifti(sform=((1, 0.2, 0, -3), (0, 1, 0, -2), (0, 0, 1.5, -1)))
    header = form.header_of(content)
    assert header is not None
    found = form.skewed(header)

    assert found is not None
    assert not found.small
    assert found.degrees == pytest.approx(11.31, abs=0.01)
    assert form.as_read(content, ".nii") is content


def test_both_forms_of_a_rewritten_file_say_the_same(tmp_path: Path) -> None:
    rng = np.random.RandomState(3)
    for mirrored in (1.0, -1.0):
        turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        turn *= mirrored * np.sign(np.linalg.det(turn))
        matrix = np.column_stack([turn * [1, 1, 1.5], [4, -5, 6]])
        content = nifti()
        header = form.header_of(content)
        assert header is not None
        rows = tuple(tuple(map(float, row)) for row in matrix)
        path = write(tmp_path / "both.nii", form.rewritten(content, header, rows, both=True))
        again = read_header(path)

        assert again.sform is not None
        assert again.qform is not None
        assert form.apart(again.sform, again.qform, again.dims) < 1e-4
        assert struct.unpack_from("<hh", path.read_bytes(), 252) == (1, 1)


@pytest.mark.parametrize("offset", [0, 348, 351, 352.5, float("nan"), float("inf")])
def test_the_reader_of_labels_refuses_voxels_that_start_in_the_header(
    tmp_path: Path, offset: float
) -> None:
    with pytest.raises(Refused, match="voxels are said to start at byte"):
        read_header(write(tmp_path / "a.nii", nifti(offset=offset)))


def test_the_reader_of_labels_finds_voxels_behind_an_extension(tmp_path: Path) -> None:
    content = nifti(offset=368)
    path = write(tmp_path / "a.nii", content[:352] + bytes(16) + content[352:])

    assert np.array_equal(read_voxels(path, read_header(path)), voxels().transpose())


def test_two_forms_are_compared_where_their_corners_lie() -> None:
    assert form.apart(RAS, RAS, (8, 6, 4)) == 0
    assert form.apart(RAS, LAS, (8, 6, 4)) == pytest.approx(8.0)


def test_no_more_is_unpacked_of_a_file_than_its_header_promises() -> None:
    content = gzip.compress(nifti(scaling=(0, 5)) + bytes(64 << 20))

    tracemalloc.start()
    meant = form.as_read(content, ".nii.gz")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(gzip.decompress(meant)) == 352 + voxels().size
    assert most < 8 << 20
