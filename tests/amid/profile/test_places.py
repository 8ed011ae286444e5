"""Files with odd headers in a whole task: refused by name and line, or read with a note."""

import gzip
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from amid.data.vault import Vault
from amid.errors import DataProblems
from amid.kinds.segmentation.profile import Labelled
from amid.profile.inventory import Taken, take
from amid.tasks import reading, table
from tests.amid.data.made import LAS, RAS, nifti, voxels, write
from tests.amid.sample import sitk

TASK = """\
[task]
id = "knee"
kind = "segmentation"
[labels]
background = 0
left = 1
right = 2
[metric]
primary = "dice"
direction = "maximize"
"""
AT_RAS = (0.0, 0.0, 0.0, -3.0, -2.0, -1.0)
SKEWED = ((1, 0.001, 0, -3), (0, 1, 0, -2), (0, 0, 1.5, -1))
SHEARED = ((1, 0.2, 0, -3), (0, 1, 0, -2), (0, 0, 1.5, -1))
MOVED = ((1, 0, 0, 27), (0, 1, 0, -2), (0, 0, 1.5, -1))


@dataclass
class Cases:
    """A task of three cases, of which the first is to be spoilt."""

    root: Path
    suffix: str = ".nii.gz"

    def __post_init__(self) -> None:
        self.root.mkdir()
        (self.root / "task.toml").write_text(TASK)
        rows = ["case,patient,split,image,label"]
        for number in range(3):
            rows.append(
                f"c{number},p{number},train,{self.name('i', number)},{self.name('l', number)}"
            )
            write(self.root / self.name("i", number), nifti(grey(number)))
            write(self.root / self.name("l", number), nifti())
        (self.root / "cases.csv").write_text("\n".join(rows))

    def name(self, kind: str, number: int) -> str:
        return f"{kind}/c{number}{self.suffix}"

    def image(self, content: bytes) -> "Cases":
        write(self.root / self.name("i", 0), content)
        return self

    def label(self, content: bytes) -> "Cases":
        write(self.root / self.name("l", 0), content)
        return self

    def taken(self) -> Taken:
        contract = reading.load(self.root)
        vault = Vault.create(self.root.parent / "vault", bytes(32))
        return take(contract, table.read(contract, self.root), self.root, seed=0, vault=vault)

    def problem(self) -> str:
        with pytest.raises(DataProblems) as caught:
            self.taken()

        return str(caught.value)


def grey(number: int, kind: str = "int16") -> NDArray[Any]:
    array = voxels(kind)
    array[0, 0, 0] += number
    return array


@pytest.fixture
def cases(tmp_path: Path) -> Cases:
    return Cases(tmp_path / "task")


@pytest.mark.parametrize("offset", [0, 348, float("nan")])
@pytest.mark.parametrize("kind", ["image", "label"])
def test_voxels_that_start_in_the_header_are_refused(
    cases: Cases, kind: str, offset: float
) -> None:
    if kind == "image":
        cases.image(nifti(grey(0), offset=offset))
    else:
        cases.label(nifti(offset=offset))

    assert f"says that its voxels start at byte {offset:g}; the earliest is 352" in cases.problem()


def test_a_header_without_its_voxels_is_refused(cases: Cases) -> None:
    assert (
        "not a NIfTI file that holds its own voxels" in cases.label(nifti(magic=b"ni1\0")).problem()
    )


def test_a_slope_of_zero_means_no_rescaling_in_labels_and_images(cases: Cases) -> None:
    cases.label(nifti(scaling=(0, 5))).image(nifti(grey(0), scaling=(0, 5)))

    found = cases.taken()

    for measured in found.measured:
        assert isinstance(measured.label, Labelled)
        assert measured.label.fraction["right"] > 0
    assert max(m.intensity["image"].high for m in found.measured) < 250


def test_a_label_with_a_slope_that_counts_is_refused(cases: Cases) -> None:
    assert "holds 4, which [labels]" in cases.label(nifti(scaling=(2, 0))).problem()


def test_two_positions_of_an_image_are_a_note_with_their_distance(cases: Cases) -> None:
    cases.image(nifti(grey(0), sform=LAS, qform=AT_RAS)).label(nifti(sform=LAS, qform=AT_RAS))

    (note,) = cases.taken().notes

    assert (
        "1 case of which an image gives two positions (qform, sform, voxel size), up to 8.0 mm"
        in note
    )
    assert "amid straighten" in note


def test_a_label_whose_sform_alone_lies_elsewhere_is_refused(cases: Cases) -> None:
    """By its qform, which ITK reads here, it lies on its image."""
    cases.image(nifti(grey(0), qform=AT_RAS, codes=(1, 2)))
    cases.label(nifti(sform=MOVED, qform=AT_RAS, codes=(1, 2)))

    said = cases.problem()

    assert "has a corner 30.00 mm (30.00 voxels) from that of its image by sform" in said


def test_a_file_that_does_not_say_where_it_lies_is_a_note(cases: Cases) -> None:
    cases.image(nifti(grey(0), sform=None)).label(nifti(sform=None))

    (note,) = cases.taken().notes

    assert "1 case of which an image does not say where it lies (neither qform nor sform)" in note


@pytest.mark.parametrize("kind", ["image", "label"])
def test_a_label_and_an_image_of_which_one_says_where_it_lies_are_refused(
    cases: Cases, kind: str
) -> None:
    """With the position that ITK makes up, so that their grids agree."""
    made_up = ((-1, 0, 0, 0), (0, -1, 0, 0), (0, 0, 1.5, 0))
    forms = (None, made_up) if kind == "image" else (made_up, None)
    cases.image(nifti(grey(0), sform=forms[0])).label(nifti(sform=forms[1]))

    said = "says where it lies, its image does not"
    assert (said if kind == "image" else "does not say where it lies") in cases.problem()


def test_a_small_skew_is_read_and_noted(cases: Cases) -> None:
    cases.image(nifti(grey(0), sform=SKEWED)).label(nifti(sform=SKEWED))

    (note,) = cases.taken().notes

    assert "axes of 1 case are up to 0.057° from right angles" in note
    assert "up to 0.003 mm away" in note


def test_a_large_skew_is_refused_with_angle_distance_and_command(cases: Cases) -> None:
    said = cases.image(nifti(grey(0), sform=SHEARED)).problem()

    assert "has axes 11.310° from right angles" in said
    assert "moves its corners by 0.5" in said
    assert "amid straighten i/c0.nii.gz -o NEW" in said


@pytest.mark.parametrize("value", [1e6, 3e38, 1e300])
def test_one_wild_voxel_is_noted_with_case_and_value(cases: Cases, value: float) -> None:
    array = grey(0, "float64")
    array[7, 5, 3] = value
    cases.image(nifti(array))

    found = cases.taken()

    (note,) = found.notes
    assert "image: single values of 1 case lie far beyond all others" in note
    assert f"up to {value:.3g}, where 98 % lie from 100 to" in note
    assert all(np.isfinite((m.intensity["image"].mean, m.intensity["image"].sd)).all()
               for m in found.measured)  # fmt: skip


def test_a_plain_file_named_gz_and_a_packed_one_named_nii_are_told_apart(tmp_path: Path) -> None:
    plain = Cases(tmp_path / "plain")
    (plain.root / plain.name("i", 0)).write_bytes(nifti(grey(0)))
    packed = Cases(tmp_path / "packed", ".nii")
    (packed.root / packed.name("i", 0)).write_bytes(gzip.compress(nifti(grey(0))))

    assert "is not compressed, although its name ends in .nii.gz; name it .nii" in plain.problem()
    (tmp_path / "vault").rename(tmp_path / "first")
    assert "is compressed, although its name ends in .nii; name it .nii.gz" in packed.problem()


def cut(path: Path, count: int = 20) -> None:
    path.write_bytes(path.read_bytes()[:-count])


@pytest.mark.parametrize("suffix", [".mha", ".nrrd"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_meta_image_or_nrrd_cut_short_is_said_to_be(
    tmp_path: Path, suffix: str, packed: bool
) -> None:
    cases = Cases(tmp_path / "task")
    image = sitk.ReadImage(str(cases.root / cases.name("i", 0)))
    path = cases.root / f"i/c0{suffix}"
    sitk.WriteImage(image, str(path), packed)
    listed = cases.root / "cases.csv"
    listed.write_text(listed.read_text().replace("i/c0.nii.gz", f"i/c0{suffix}"))

    assert cases.taken().notes == ()
    (tmp_path / "vault").rename(tmp_path / "first")
    cut(path)

    assert "is cut short: its header promises 384 bytes of voxels" in cases.problem()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda a: np.place(a, a == 2, 1), "label right (2): is in none of the 3 development"),
        (lambda a: a.fill(0), "no label of the 3 development cases holds anything but background"),
    ],
    ids=["a label in no case", "background only"],
)
def test_labels_that_nobody_could_learn_are_refused(
    cases: Cases, change: Callable[[NDArray[Any]], object], says: str
) -> None:
    array = voxels()
    change(array)
    for number in range(3):
        write(cases.root / cases.name("l", number), nifti(array))

    assert says in cases.problem()


def test_one_case_of_background_only_is_read(cases: Cases) -> None:
    cases.label(nifti(np.zeros_like(voxels())))

    assert "label left is empty in 1 of 3 development cases" in cases.taken().notes


def test_labels_as_whole_real_numbers_several_members_and_tiny_turns_are_read(
    cases: Cases,
) -> None:
    turned = ((1, 1e-8, 0, -3), (0, 1, 0, -2), (0, 0, 1.5, -1))
    cases.image(nifti(grey(0), sform=RAS)).label(nifti(voxels().astype("float32"), sform=turned))
    content = nifti(grey(1))
    path = cases.root / cases.name("i", 1)
    path.write_bytes(gzip.compress(content[:400]) + gzip.compress(content[400:]))

    assert cases.taken().notes == ()


def test_an_sform_unlike_the_voxel_size_is_a_note(cases: Cases) -> None:
    """ITK takes the voxel size, others the sform."""
    wide = ((1.2, 0, 0, -3), (0, 1, 0, -2), (0, 0, 1.5, -1))
    cases.image(nifti(grey(0), sform=wide)).label(nifti(sform=wide))

    (note,) = cases.taken().notes

    assert "gives two positions (qform, sform, voxel size), up to 1.5 mm apart" in note


def one_volume(content: bytes, dimensions: int) -> bytes:
    changed = bytearray(content)
    struct.pack_into("<8h", changed, 40, dimensions, 8, 6, 4, 1, 1, 1, 1)
    return bytes(changed)


@pytest.mark.parametrize("dimensions", [4, 5])
def test_one_volume_of_more_dimensions_is_read(cases: Cases, dimensions: int) -> None:
    cases.image(one_volume(nifti(grey(0)), dimensions)).label(one_volume(nifti(), dimensions))

    assert cases.taken().notes == ()


def test_blanks_and_umlauts_in_paths_are_read(cases: Cases) -> None:
    (cases.root / "i").rename(cases.root / "mein Ordner \u00fc")
    listed = cases.root / "cases.csv"
    listed.write_text(listed.read_text().replace("i/c", "mein Ordner \u00fc/c"))

    assert cases.taken().notes == ()


def stretched() -> NDArray[Any]:
    array = voxels()
    array[array > 0] *= 127
    return array


def infinite() -> NDArray[Any]:
    array = grey(0, "float32")
    array[2, 2, 2] = np.inf
    return array


MOVED_3 = ((1, 0, 0, 0), (0, 1, 0, -2), (0, 0, 1.5, -1))


@pytest.mark.parametrize(
    ("label", "says"),
    [
        (nifti(stretched()), "holds 127, 254, which [labels] of task.toml does not name"),
        (nifti((voxels() > 0).astype("uint8") * 3), "holds 3, which [labels]"),
        (nifti(sform=MOVED_3), "has a corner 3.00 mm (3.00 voxels) from that of its image"),
        (nifti(scaling=(0.5, 0)), "voxels that are not whole numbers"),
    ],
    ids=["stretched", "outside the contract", "an origin 3 mm off", "a slope of a half"],
)
def test_labels_that_are_not_what_the_contract_says_are_refused_by_line(
    cases: Cases, label: bytes, says: str
) -> None:
    said = cases.label(label).problem()

    assert "line 2, case c0, l/c0.nii.gz: h" in said
    assert says in said


def test_an_infinite_voxel_and_junk_behind_the_end_are_refused_by_line(cases: Cases) -> None:
    cases.image(nifti(infinite()))
    path = cases.root / cases.name("l", 1)
    path.write_bytes(path.read_bytes() + b"junk")

    said = cases.problem()

    assert "line 2, case c0, i/c0.nii.gz: has 1 voxels of 192 that are NaN or infinite" in said
    assert "line 3, case c1, l/c1.nii.gz: is not a whole gzip file" in said
