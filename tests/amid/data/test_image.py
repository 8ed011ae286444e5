"""The four fingerprints: what each survives, and what each sees."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from amid.data.image import (
    Unreadable,
    Volume,
    canonical_hash,
    corners,
    decoded_hash,
    header_hash,
    pieces,
    read,
)
from amid.documents import Geometry
from tests.amid.sample import PLAIN, sitk


def volume(voxels: np.ndarray, direction: np.ndarray | None = None) -> Volume:
    turned = np.eye(3) if direction is None else direction
    geometry = Geometry(
        size=voxels.shape[::-1],
        spacing=(1.0, 1.0, 1.0),
        origin=(0.0, 0.0, 0.0),
        direction=tuple(float(n) for n in turned.reshape(-1)),
        pixel="16-bit signed integer",
    )
    return Volume(voxels=voxels, geometry=geometry)


small = arrays.arrays(np.int16, (3, 4, 5), elements=st.integers(-300, 300))
perms = st.permutations([0, 1, 2])
flips = st.tuples(st.booleans(), st.booleans(), st.booleans())


@given(small, perms, flips, st.integers(-100, 100), st.sampled_from(["<i4", "<f4", "<f8", ">i2"]))
def test_canonical_survives_axes_offset_and_type(
    voxels: np.ndarray, perm: list[int], flip: tuple[bool, ...], offset: int, kind: str
) -> None:
    # The new index axis i runs along the old axis perm[i], perhaps backwards.
    turned = voxels.transpose([2 - perm[2 - axis] for axis in range(3)])
    turned = np.flip(turned, tuple(2 - axis for axis in range(3) if flip[axis]))
    direction = np.zeros((3, 3))
    for axis in range(3):
        direction[perm[axis], axis] = -1 if flip[axis] else 1

    coat = (turned.astype(np.int32) + offset).astype(kind)

    assert canonical_hash(volume(coat, direction)) == canonical_hash(volume(voxels))


@given(small, st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 4)))
def test_canonical_and_decoded_see_one_changed_voxel(
    voxels: np.ndarray, place: tuple[int, int, int]
) -> None:
    other = voxels.copy()
    other[place] += 1

    assert decoded_hash(volume(other)) != decoded_hash(volume(voxels))
    # A single voxel is the whole image only when all others share its value: never here.
    if np.unique(voxels).size > 1:
        assert canonical_hash(volume(other)) != canonical_hash(volume(voxels))


def test_canonical_sees_a_mirror_without_its_affine() -> None:
    voxels = np.arange(60, dtype=np.int16).reshape(3, 4, 5)

    assert canonical_hash(volume(voxels[::-1])) != canonical_hash(volume(voxels))


def test_canonical_holds_over_the_whole_range_of_64_bits() -> None:
    ends = np.array([[[-(2**63), 2**63 - 1]]], dtype=np.int64)
    top = np.array([[[0, 2**64 - 1]]], dtype=np.uint64)

    assert canonical_hash(volume(ends)) == canonical_hash(volume(top))


def test_fractions_stay_fractions() -> None:
    halves = np.array([[[0.5, 1.0]]], dtype=np.float32)

    assert canonical_hash(volume(halves)) != canonical_hash(volume(np.floor(halves)))


def test_a_header_fingerprint_sees_every_number() -> None:
    base = header_hash(PLAIN)
    moved = PLAIN.model_copy(update={"origin": (0.0, 0.0, 1e-9)})
    scaled = PLAIN.model_copy(update={"spacing": (1.0, 1.0, 1.5)})
    negative = PLAIN.model_copy(update={"origin": (-0.0, 0.0, 0.0)})

    assert len({base, header_hash(moved), header_hash(scaled)}) == 3
    assert header_hash(negative) == base


def test_corners_are_where_itk_puts_them(tmp_path: Path) -> None:
    image = sitk.GetImageFromArray(np.zeros((4, 5, 6), np.uint8))
    image.SetSpacing((0.5, 2.0, 3.0))
    image.SetOrigin((7.0, -8.0, 9.0))
    image.SetDirection((0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    sitk.WriteImage(image, str(tmp_path / "a.mha"))
    geometry = read(tmp_path / "a.mha").geometry

    expected = {
        image.TransformIndexToPhysicalPoint((x, y, z))
        for x in (0, 5)
        for y in (0, 4)
        for z in (0, 3)
    }

    assert {tuple(float(n) for n in row) for row in corners(geometry)} == expected


@pytest.mark.parametrize("name", ["a.mha", "a.nrrd", "a.nii", "a.nii.gz"])
def test_every_format_gives_the_same_fingerprints(tmp_path: Path, name: str) -> None:
    voxels = np.random.default_rng(0).integers(0, 99, (3, 4, 5)).astype(np.int16)
    sitk.WriteImage(sitk.GetImageFromArray(voxels), str(tmp_path / name))

    found = read(tmp_path / name)

    assert found.geometry.pixel == "16-bit signed integer"
    assert decoded_hash(found) == decoded_hash(volume(voxels))
    assert canonical_hash(found) == canonical_hash(volume(voxels))


@pytest.mark.parametrize(
    ("spacing", "says"), [("0 1 1", "spacing of zero"), ("nan 1 1", "spacing of zero")]
)
def test_a_spacing_of_zero_is_unreadable(tmp_path: Path, spacing: str, says: str) -> None:
    path = tmp_path / "a.mha"
    sitk.WriteImage(sitk.GetImageFromArray(np.zeros((3, 4, 5), np.uint8)), str(path))
    path.write_bytes(
        path.read_bytes().replace(
            b"ElementSpacing = 1 1 1", b"ElementSpacing = " + spacing.encode()
        )
    )

    with pytest.raises(Unreadable, match=says):
        read(path)


def test_pieces_are_counted_with_corners() -> None:
    mask = np.zeros((5, 5, 5), bool)
    assert pieces(mask) == 0

    mask[0, 0, 0] = mask[1, 1, 1] = mask[4, 4, 4] = True
    assert pieces(mask) == 2
