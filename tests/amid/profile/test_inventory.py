"""Taking stock: every defect of every file is found before any job, and named with its row."""

import gzip
import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from amid.data.image import Array
from amid.data.vault import Vault
from amid.demo import tiny
from amid.errors import DataMissing, DataProblems
from amid.profile.inventory import Taken, take
from amid.tasks import reading, table
from tests.amid.sample import edit_header, edit_table, edit_voxels, sitk

CASE = "p01-v1"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return tiny.make(tmp_path / "tiny")


def taken(task: Path, seed: int = 0, name: str = "vault") -> Taken:
    contract = reading.load(task)
    vault = Vault.create(task.parent / name, bytes(32))
    return take(contract, table.read(contract, task), task, seed=seed, vault=vault)


def image(task: Path) -> Path:
    return task / "images" / f"{CASE}.nii.gz"


def label(task: Path) -> Path:
    return task / "labels" / f"{CASE}.nii.gz"


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def cut_inside(path: Path) -> None:
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())[:-200]))


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)


def poison(value: float) -> Callable[[Path], None]:
    def change(voxels: Array) -> None:
        voxels[3, 4, 5:8] = value

    return lambda path: edit_voxels(path, change, "float32")


def set_label(value: float, kind: str = "uint8") -> Callable[[Path], None]:
    def change(voxels: Array) -> None:
        voxels[0, 0, 0] = value

    return lambda path: edit_voxels(path, change, kind)


def move(distance: float) -> Callable[[Path], None]:
    """Move a label along x by millimetres, in the affine of its header."""
    return lambda path: edit_header(
        path, lambda head: struct.pack_into("<f", head, 292, -7.5 + distance)
    )


def no_spacing(path: Path) -> None:
    edit_header(path, lambda head: struct.pack_into("<f", head, 84, 0.0))


def two_volumes(path: Path) -> None:
    one = sitk.ReadImage(str(path))
    sitk.WriteImage(sitk.JoinSeries([one, one]), str(path))


def colour(path: Path) -> None:
    one = sitk.Cast(sitk.ReadImage(str(path)), sitk.sitkUInt8)
    sitk.WriteImage(sitk.Compose(one, one, one), str(path))


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def no_place(path: Path) -> None:
    edit_header(path, lambda head: struct.pack_into("<f", head, 280, float("nan")))


BAD_IMAGES = [
    ("missing", Path.unlink, "missing-file", "is not there"),
    ("empty", lambda p: p.write_bytes(b""), "unreadable", "is empty"),
    ("text", lambda p: p.write_text("hello"), "unreadable", "is not a whole gzip file"),
    ("zipped text", lambda p: p.write_bytes(gzip.compress(b"hi")), "unreadable", "not a NIfTI"),
    ("cut", cut, "truncated", "is cut short"),
    ("cut inside", cut_inside, "truncated", "its header promises 8544 bytes, 8344 are there"),
    ("bit", flip_a_bit, "unreadable", "is not a whole gzip file"),
    ("nan", poison(float("nan")), "not-finite", "has 3 voxels of 4096 that are NaN or infinite"),
    ("inf", poison(float("inf")), "not-finite", "NaN or infinite"),
    ("spacing", no_spacing, "zero-spacing", "has a spacing of 0 along y"),
    ("4d", two_volumes, "dimensions", "has 4 dimensions, task.toml says 3"),
    ("colour", colour, "components", "holds 3 numbers in one place"),
    ("place", no_place, "not-finite", "an orientation or position that is not a number"),
    ("pipe", pipe, "unreadable", "not a regular file"),
    ("folder", lambda p: (p.unlink(), p.mkdir()), "unreadable", "is a directory"),
]

BAD_LABELS = [
    ("missing", Path.unlink, "missing-file", "is not there"),
    ("cut", cut, "truncated", "is cut short"),
    ("value", set_label(7), "label-values", "holds 7, which [labels]"),
    ("negative", set_label(-1, "int16"), "label-values", "holds -1, which"),
    ("fraction", set_label(0.5, "float32"), "label-values", "1 voxels that are not whole"),
    ("nan", set_label(float("nan"), "float32"), "not-finite", "1 voxels of 4096 that are NaN"),
    ("moved", move(0.5), "label-geometry", "corner 0.50 mm (0.50 voxels) from"),
    ("size", lambda p: edit_voxels(p, lambda v: v[:, :15]), "label-geometry", "16×15×16"),
]


def named(value: object) -> str:
    """Name functions in test ids by name: an address differs from one process to the next."""
    return getattr(value, "__qualname__", "function") if callable(value) else str(value)


@pytest.mark.parametrize(("change", "code", "says"), [b[1:] for b in BAD_IMAGES], ids=named)
def test_a_bad_image_is_named(
    task: Path, change: Callable[[Path], object], code: str, says: str
) -> None:
    change(image(task))

    problem = only_problem(task)

    assert problem[0] == code
    assert says in problem[1]
    assert f"line 2, case {CASE}, images/{CASE}.nii.gz" in problem[1]


@pytest.mark.parametrize(("change", "code", "says"), [b[1:] for b in BAD_LABELS], ids=named)
def test_a_bad_label_is_named(
    task: Path, change: Callable[[Path], object], code: str, says: str
) -> None:
    change(label(task))

    problem = only_problem(task)

    assert problem[0] == code
    assert says in problem[1]
    assert f"labels/{CASE}.nii.gz" in problem[1]


def only_problem(task: Path) -> tuple[str, str]:
    with pytest.raises(DataProblems) as caught:
        taken(task)

    (problem,) = caught.value.problems
    assert caught.value.exit_code == (3 if problem.missing else 1)
    assert "1 problem in the data" in str(caught.value)
    return problem.code, str(caught.value)


def test_a_training_case_without_label_is_a_problem(task: Path) -> None:
    edit_table(task, lambda rows: rows[0].update(label=""))

    assert only_problem(task)[0] == "missing-label"


def test_a_test_case_without_label_is_a_note(task: Path) -> None:
    edit_table(task, lambda rows: rows[-1].update(label=""))

    found = taken(task)

    assert [c.label for c in found.inventory.cases].count("missing") == 1
    assert "1 test case has no label: it cannot be scored" in found.notes


@pytest.mark.parametrize(
    "change",
    [
        lambda p: edit_voxels(p, lambda v: None, "float64"),
        move(0.05),
        lambda p: p.write_bytes(
            p.read_bytes()[:100] and gzip.compress(gzip.decompress(p.read_bytes()), 1)
        ),
    ],
    ids=["float", "a hair off", "other compression"],
)
def test_what_is_only_unusual_is_accepted(task: Path, change: Callable[[Path], object]) -> None:
    change(label(task))

    assert len(taken(task).inventory.cases) == 14


def test_all_problems_of_all_cases_come_at_once(task: Path) -> None:
    for path in sorted((task / "images").iterdir()):
        path.write_bytes(b"")
    for path in sorted((task / "labels").iterdir()):
        path.unlink()

    with pytest.raises(DataProblems) as caught:
        taken(task)

    assert len(caught.value.problems) == 28
    assert caught.value.problems[0].where.startswith("line 2, case p01-v1,")
    assert "28 problems" in str(caught.value)
    assert "… and 8 more" in str(caught.value)
    assert caught.value.exit_code == 1


def test_formats_of_several_files_are_refused(task: Path) -> None:
    (task / "images" / "a.mhd").write_text("ObjectType = Image\n")
    mha = task / "images" / "b.mha"
    mha.write_text("ObjectType = Image\nNDims = 3\nElementDataFile = elsewhere.raw\n")
    edit_table(task, lambda rows: rows[0].update(image="images/a.mhd"))
    edit_table(task, lambda rows: rows[1].update(image="images/b.mha"))

    with pytest.raises(DataProblems) as caught:
        taken(task)

    assert sorted(p.code for p in caught.value.problems) == ["detached", "suffix"]


def test_a_folder_that_is_not_there_is_missing(task: Path) -> None:
    contract = reading.load(task)
    vault = Vault.create(task.parent / "vault", bytes(32))

    with pytest.raises(DataMissing) as caught:
        take(contract, table.read(contract, task), task / "no", seed=0, vault=vault)

    assert caught.value.exit_code == 3


def test_aliases_follow_from_the_seed_not_from_the_rows(task: Path) -> None:
    first = taken(task)
    edit_table(task, lambda rows: rows.reverse())
    again = taken(task, name="again")
    other = taken(task, seed=1, name="other")

    assert again.inventory == first.inventory
    assert again.aliases == first.aliases
    assert other.aliases != first.aliases
    assert sorted(other.aliases.values()) == sorted(first.aliases.values())


def test_nothing_real_stands_in_the_inventory(task: Path) -> None:
    text = taken(task).inventory.model_dump_json()

    assert "p01" not in text
    assert str(task) not in text
    assert "images/" not in text


def test_the_vault_holds_byte_copies_of_all_labels(task: Path) -> None:
    found = taken(task)
    vault = Vault.open(task.parent / "vault")

    for entry in vault.aliases().cases:
        assert entry.label is not None
        copy = vault.label(entry.alias, ".nii.gz")
        assert copy.read_bytes() == (task / entry.label).read_bytes()
        assert copy.stat().st_mode & 0o777 == 0o600
    assert {c.label_commitment for c in found.inventory.cases}.isdisjoint({None})


def test_a_copied_image_links_two_patients(task: Path) -> None:
    shutil.copy(image(task), task / "images" / "p07-v1.nii.gz")

    found = taken(task)

    pair = {found.aliases[CASE], found.aliases["p07-v1"]}
    (link,) = found.links
    assert {link.first, link.second} == pair
    assert link.evidence == "image: identical voxels; one is a training, one a test case"


def test_the_same_image_in_another_coat_is_still_linked(task: Path) -> None:
    volume = sitk.ReadImage(str(image(task)))
    coat = sitk.Flip(sitk.Cast(volume, sitk.sitkFloat64) + 17, [True, False, True])
    turned = sitk.PermuteAxes(coat, [2, 0, 1])
    sitk.WriteImage(turned, str(task / "images" / "p05-v2.nii.gz"))
    shutil.copy(label(task), task / "labels" / "p05-v2.nii.gz")
    mask = sitk.PermuteAxes(
        sitk.Flip(sitk.ReadImage(str(label(task))), [True, False, True]), [2, 0, 1]
    )
    sitk.WriteImage(mask, str(task / "labels" / "p05-v2.nii.gz"))

    assert [link.evidence for link in taken(task).links] == ["image: identical voxels"]


def test_a_constant_image_is_a_note_and_no_link(task: Path) -> None:
    for name in ("p01-v1", "p02-v1"):
        edit_voxels(task / "images" / f"{name}.nii.gz", lambda v: np.full_like(v, 3))

    found = taken(task)

    assert found.links == ()
    assert any("2 cases with one grey value only" in note for note in found.notes)


def test_not_a_number_is_found_in_every_format(task: Path) -> None:
    image = sitk.Cast(sitk.ReadImage(str(task / "images" / f"{CASE}.nii.gz")), sitk.sitkFloat32)
    image[3, 4, 5] = float("nan")
    for name in ("a.mha", "a.nrrd", "a.nii"):
        sitk.WriteImage(image, str(task / "images" / name))

    def use(rows: list[dict[str, str]]) -> None:
        for row, name in zip(rows, ("a.mha", "a.nrrd", "a.nii"), strict=False):
            row["image"] = f"images/{name}"

    edit_table(task, use)

    with pytest.raises(DataProblems) as caught:
        taken(task)

    assert [p.code for p in caught.value.problems] == ["not-finite"] * 3


def test_a_sheared_image_is_refused(task: Path) -> None:
    edit_header(image(task), lambda head: struct.pack_into("<f", head, 284, 0.5))

    code, says = only_problem(task)

    assert code == "skew"
    assert "from right angles (a sheared affine)" in says


def test_what_was_read_in_another_way_than_written_is_a_note(task: Path) -> None:
    path = task / "cases.csv"
    path.write_text(path.read_text().replace(",", ";"))

    assert "the case table is read with the semicolon as separator" in taken(task).notes
