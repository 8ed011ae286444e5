"""Hostile predictions: each gets a status, and nothing of them is followed or executed."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from amid.kinds.segmentation.decoded import coarse
from amid.review.decode import decode
from tests.amid.world import blobs_of_two, geometry, write_image

ARRAY = blobs_of_two(1)
GRID = geometry(ARRAY.shape[::-1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "in/predictions/f1/predictions"
    path.mkdir(parents=True)
    return path


def index_of(folder: Path) -> dict[str, Any]:
    """Decode and return the index of the one fold, as written."""
    top = folder.parents[2]
    decode("segmentation", top / "predictions", top.parent / "out")
    told = json.loads((top.parent / "out/index.json").read_text())
    assert told["schema"] == "decoded/1"
    fold: dict[str, Any] = told["folds"][0]
    return fold


def only(folder: Path) -> dict[str, Any]:
    """Return the entry of the one file."""
    (entry,) = index_of(folder)["files"]
    found: dict[str, Any] = entry
    return found


def test_a_good_file_becomes_a_plain_array_with_its_grid(folder: Path) -> None:
    write_image(folder / "c-0001.nii.gz", ARRAY, GRID)
    entry = only(folder)
    assert entry["status"] == "ok"
    assert entry["grid"]["size"] == list(GRID.size)
    assert entry["grid"]["direction"] == pytest.approx(GRID.direction)
    array = np.load(folder.parents[3] / "out" / entry["array"], allow_pickle=False)
    assert array.dtype == np.uint8
    assert np.array_equal(array, ARRAY)


def test_whole_floats_become_whole_numbers(folder: Path) -> None:
    write_image(folder / "c-0001.nii.gz", ARRAY.astype("f4"), GRID)
    entry = only(folder)
    array = np.load(folder.parents[3] / "out" / entry["array"], allow_pickle=False)
    assert array.dtype == np.uint8


def test_large_numbers_are_kept_as_they_are(folder: Path) -> None:
    write_image(folder / "c-0001.nii.gz", ARRAY.astype("u2") * 257, GRID)
    entry = only(folder)
    array = np.load(folder.parents[3] / "out" / entry["array"], allow_pickle=False)
    assert array.max() == 514


def test_fractions_and_nan_leave_no_array(folder: Path) -> None:
    write_image(folder / "c-0001.nii.gz", ARRAY * np.float32(0.5), GRID)
    bad = ARRAY.astype("f4")
    bad[0, 0, 0] = np.nan
    write_image(folder / "c-0002.nii.gz", bad, GRID)
    one, two = index_of(folder)["files"]
    assert (one["status"], one["whole"], "array" in one) == ("ok", False, False)
    assert (two["status"], "array" in two) == ("not-finite", False)


def test_links_pipes_and_folders_are_named_and_not_followed(folder: Path, tmp_path: Path) -> None:
    write_image(tmp_path / "secret.nii.gz", ARRAY, GRID)
    (folder / "c-0001.nii.gz").symlink_to(tmp_path / "secret.nii.gz")
    os.mkfifo(folder / "c-0002.nii.gz")
    (folder / "c-0003.nii.gz").mkdir()
    (folder / "out.txt").symlink_to("/etc/passwd")
    found = index_of(folder)
    assert [f["status"] for f in found["files"]] == ["symlink", "not-a-file", "not-a-file"]
    assert found["extras"] == [{"name": "out.txt", "kind": "symlink"}]


def test_a_linked_predictions_folder_is_not_entered(folder: Path, tmp_path: Path) -> None:
    write_image(tmp_path / "elsewhere/c-0001.nii.gz", ARRAY, GRID)
    folder.rmdir()
    folder.symlink_to(tmp_path / "elsewhere")
    found = index_of(folder)
    assert found["files"] == []
    assert found["extras"] == [{"name": "predictions", "kind": "symlink"}]


def test_other_names_are_extras(folder: Path) -> None:
    for name in ("C-0001.nii.gz", "c-1.nii.gz", "c-0001.mha", "notes.txt"):
        (folder / name).write_bytes(b"x")

    (folder / os.fsdecode(b"\xff\xfe.nii.gz")).write_bytes(b"x")
    found = index_of(folder)
    assert found["files"] == []
    assert len(found["extras"]) == 5


def test_a_bomb_is_refused_by_its_declared_size(folder: Path) -> None:
    path = folder / "c-0001.nii.gz"
    write_image(path, ARRAY, GRID)
    raw = bytearray(gzip.decompress(path.read_bytes()))
    raw[40:56] = np.array([3, 30000, 30000, 30000, 1, 1, 1, 1], "<i2").tobytes()
    path.write_bytes(gzip.compress(bytes(raw)))
    entry = only(folder)
    assert entry["status"] == "corrupt"
    assert "30000 × 30000 × 30000" in entry["reason"]


@pytest.mark.parametrize("size", [(1, 1, 1), (9, 9, 9), (800, 800, 800)])
def test_what_is_not_as_large_as_its_image_is_not_read(folder: Path, size: tuple[int, ...]) -> None:
    """Given a header that declares half a gigabyte, then it is told, and no voxel is read."""
    known = [{"case": "c-0001", "images": [{"geometry": {"size": list(GRID.size)}}]}]
    (folder.parents[2] / "inventory.json").write_text(json.dumps({"cases": known}))
    write_image(folder / "c-0001.nii.gz", ARRAY, GRID)
    write_image(folder / "c-0002.nii.gz", ARRAY, GRID)  # of no case
    right, stray = index_of(folder)["files"]
    assert right["array"]
    assert "array" not in stray

    bomb = bytearray(gzip.decompress((folder / "c-0001.nii.gz").read_bytes())[:352])
    bomb[42:48] = np.array(size, "<i2").tobytes()
    with gzip.open(folder / "c-0001.nii.gz", "wb", compresslevel=1) as file:
        file.write(bomb)

    (folder / "c-0002.nii.gz").unlink()
    entry = only(folder)
    assert (entry["status"], entry["dims"]) == ("ok", list(size))
    assert entry["reason"] == f"{np.prod(size)} voxels where its image has {ARRAY.size}"
    assert "array" not in entry


def test_four_dimensions_are_told_as_declared(folder: Path) -> None:
    write_4d = np.stack([ARRAY, ARRAY])
    import SimpleITK

    image = SimpleITK.GetImageFromArray(write_4d, isVector=False)
    SimpleITK.WriteImage(image, str(folder / "c-0001.nii.gz"))
    assert only(folder)["dims"] == [12, 10, 8, 2]


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 351), st.binary(min_size=1, max_size=6))
def test_no_header_crashes_the_decoder(folder: Path, at: int, content: bytes) -> None:
    path = folder / "c-0001.nii.gz"
    write_image(path, ARRAY, GRID)
    raw = bytearray(gzip.decompress(path.read_bytes()))
    raw[at : at + len(content)] = content
    path.write_bytes(gzip.compress(bytes(raw)))
    assert only(folder)["status"] in ("ok", "corrupt", "not-finite")


def test_nothing_handed_in_is_an_empty_index(tmp_path: Path) -> None:
    assert decode("segmentation", tmp_path / "nowhere", tmp_path / "out") == {
        "schema": "decoded/1",
        "folds": [],
    }


def test_masks_that_differ_in_single_voxels_are_the_same_on_a_coarse_grid() -> None:
    mask = np.zeros((40, 48, 44), np.uint8)
    mask[8:30, 10:36, 12:30] = 1
    other = mask.copy()
    other[20, 20, 20], other[0, 0, 0] = 0, 1
    moved = np.roll(mask, 6, axis=1)

    assert coarse(other) == coarse(mask) != ""
    assert coarse(moved) != coarse(mask)


def test_a_template_pasted_into_images_of_two_sizes_is_the_same_on_a_coarse_grid() -> None:
    small = np.zeros((32, 32, 32), np.uint8)
    small[8:24, 8:24, 8:24] = 2

    assert coarse(np.repeat(small, 2, axis=0)) == coarse(small)


def test_nothing_is_said_of_specks() -> None:
    speck = np.zeros((40, 40, 40), np.uint8)
    speck[5:8, 5:8, 5:8] = 1

    assert coarse(speck) == ""
