"""The bytes of an image file, checked before a reader is trusted with them."""

import gzip
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amid.data.raw import defect, suffix

VOXELS = np.linspace(0, 1, 24, dtype=np.float32)


def nifti(order: str = "<", version: int = 1, voxels: np.ndarray = VOXELS) -> bytes:
    """Return a file of 2 × 3 × 4 real numbers."""
    dims, steps = (3, 2, 3, 4, 1, 1, 1, 1), (1, 1, 2, 3, 0, 0, 0, 0)
    head = bytearray(352 if version == 1 else 544)
    if version == 1:
        struct.pack_into(f"{order}i", head, 0, 348)
        struct.pack_into(f"{order}8h", head, 40, *dims)
        struct.pack_into(f"{order}hh", head, 70, 16, 32)
        struct.pack_into(f"{order}8f", head, 76, *steps)
        struct.pack_into(f"{order}f", head, 108, len(head))
        head[344:348] = b"n+1\0"
    else:
        struct.pack_into(f"{order}i", head, 0, 540)
        struct.pack_into(f"{order}hh", head, 12, 16, 32)
        struct.pack_into(f"{order}8q", head, 16, *dims)
        struct.pack_into(f"{order}8d", head, 104, *steps)
        struct.pack_into(f"{order}q", head, 168, len(head))
        head[4:8] = b"n+2\0"

    return bytes(head) + voxels.astype(f"{order}f4").tobytes()


KINDS = [(order, version) for order in "<>" for version in (1, 2)]


@pytest.mark.parametrize(("order", "version"), KINDS)
def test_a_whole_file_has_no_defect(order: str, version: int) -> None:
    content = nifti(order, version)

    assert defect(content, ".nii") is None
    assert defect(gzip.compress(content), ".nii.gz") is None
    assert defect(gzip.compress(content[:50]) + gzip.compress(content[50:]), ".nii.gz") is None


def test_no_more_is_kept_than_the_header_promises() -> None:
    content = gzip.compress(nifti() + bytes(64 << 20))

    tracemalloc.start()
    found = defect(content, ".nii.gz")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert found is None
    assert most < 48 << 20


@pytest.mark.parametrize(("order", "version"), KINDS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_itk_reads_as_zero_is_found(order: str, version: int, bad: float) -> None:
    voxels = VOXELS.copy()
    voxels[5] = bad

    found = defect(nifti(order, version, voxels), ".nii")

    assert found is not None
    assert found.says == "has 1 voxels of 24 that are NaN or infinite"


@given(st.integers(0, 447))
def test_every_cut_is_found(length: int) -> None:
    content = nifti()
    packed = gzip.compress(content)

    assert defect(content[:length], ".nii") is not None
    assert defect(gzip.compress(content[:length]), ".nii.gz") is not None
    if length < len(packed):
        assert defect(packed[:length], ".nii.gz") is not None


@given(st.binary(max_size=700), st.sampled_from([".nii.gz", ".nii", ".mha", ".nrrd"]))
def test_any_bytes_get_an_answer(content: bytes, kind: str) -> None:
    found = defect(content, kind)

    assert found is None or found.code


@pytest.mark.parametrize(
    ("content", "kind", "code"),
    [
        (b"NDims = 3\nElementDataFile = LOCAL\n\1\2", ".mha", None),
        (b"NDims = 3\nElementDataFile = /etc/passwd\n", ".mha", "detached"),
        (b"NRRD0004\ntype: short\n\n\1\2", ".nrrd", None),
        (b"NRRD0004\ndata file: a.raw\n\n", ".nrrd", "detached"),
        (b"NRRD0004\ndatafile: a.raw\n", ".nrrd", "detached"),
        (b"", ".nrrd", "unreadable"),
    ],
)
def test_voxels_stand_in_the_same_file(content: bytes, kind: str, code: str | None) -> None:
    found = defect(content, kind)

    assert (found and found.code) == code


def test_knows_its_suffixes() -> None:
    assert suffix("a/b.NII.GZ") == ".nii.gz"
    assert suffix("a.b/c.nii") == ".nii"
    assert suffix("a.mhd") is None
    assert suffix("a.gz") is None
