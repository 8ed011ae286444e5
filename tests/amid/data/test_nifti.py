"""The bounded reader against files that were made to do harm."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from amid.data.nifti import Refused, read_header, read_voxels
from tests.amid.world import blobs_of_two, geometry, itk, write_image

ARRAY = blobs_of_two(1)
GRID = geometry(ARRAY.shape[::-1])


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "c-0001.nii.gz"
    write_image(path, ARRAY, GRID)
    return path


def patched(path: Path, at: int, content: bytes) -> Path:
    raw = bytearray(gzip.decompress(path.read_bytes()))
    raw[at : at + len(content)] = content
    path.write_bytes(gzip.compress(bytes(raw)))
    return path


def refused(path: Path) -> str:
    with pytest.raises(Refused) as caught:
        read_voxels(path, read_header(path))

    return str(caught.value)


@pytest.mark.parametrize("dtype", ["u1", "i2", "u2", "i4", "u4", "f4", "f8", "i1"])
@pytest.mark.parametrize("suffix", [".nii", ".nii.gz"])
def test_voxels_are_those_that_itk_reads(tmp_path: Path, dtype: str, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    write_image(path, ARRAY.astype(dtype), GRID)
    header = read_header(path)
    assert header.dims == GRID.size
    assert np.array_equal(
        read_voxels(path, header), itk.GetArrayFromImage(itk.ReadImage(str(path)))
    )


def test_a_scaled_file_is_scaled(whole: Path) -> None:
    patched(whole, 112, struct.pack("<2f", 2.0, 1.0))
    assert np.array_equal(read_voxels(whole, read_header(whole)), ARRAY * 2.0 + 1.0)


def test_both_positions_of_a_written_file_agree(whole: Path) -> None:
    header = read_header(whole)
    assert header.sform is not None
    assert header.qform is not None
    assert np.allclose(header.sform, header.qform, atol=1e-5)


def test_a_declared_monster_is_refused_before_it_is_unpacked(whole: Path) -> None:
    patched(whole, 40, struct.pack("<8h", 3, 32767, 32767, 32767, 1, 1, 1, 1))
    assert "at most" in refused(whole)


def test_a_truncated_file_is_not_filled_with_zeros(whole: Path) -> None:
    raw = gzip.decompress(whole.read_bytes())
    whole.write_bytes(gzip.compress(raw[:-100]))
    assert "declares 960 bytes of voxels; the file has 860" in refused(whole)


def test_a_torn_stream_is_refused(whole: Path) -> None:
    whole.write_bytes(whole.read_bytes()[:-40])
    assert "cannot be" in refused(whole)


@pytest.mark.parametrize(
    ("at", "content", "says"),
    [
        (344, b"ni1\0", "single-file"),
        (70, struct.pack("<h", 128), "pixel type 128"),
        (70, struct.pack("<h", 32), "pixel type 32"),
        (40, struct.pack("<8h", 3, 5, -5, 5, 1, 1, 1, 1), "size"),
        (40, struct.pack("<8h", 9, 1, 1, 1, 1, 1, 1, 1), "first bytes|dimensions"),
        (108, struct.pack("<f", float("nan")), "start at byte"),
        (108, struct.pack("<f", 1e30), "start at byte"),
        (0, b"\0\0\0\0", "first bytes"),
    ],
)
def test_other_headers_are_refused(whole: Path, at: int, content: bytes, says: str) -> None:
    with pytest.raises(Refused, match=says):
        read_header(patched(whole, at, content))


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 351), st.binary(min_size=1, max_size=8))
def test_no_header_does_worse_than_being_refused(whole: Path, at: int, content: bytes) -> None:
    write_image(whole, ARRAY, GRID)
    patched(whole, at, content)
    try:
        read_voxels(whole, read_header(whole))
    except Refused:
        pass


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=700))
def test_noise_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "noise.nii.gz"
    path.write_bytes(content)
    with pytest.raises(Refused):
        read_header(path)
