"""`amid init`: folders of each convention become tasks that can be read, and guesses are said."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from amid.cli import call
from amid.errors import AmidError, DataMissing, DataProblems, FolderExists, TableWrong
from amid.run.draft import Draft, draft
from amid.run.prepare import prepare
from amid.tasks import reading
from tests.amid.data.made import nifti, voxels, write
from tests.amid.sample import Store


def image(path: Path, seed: int = 0) -> Path:
    array = voxels("int16")
    array[0, 0, 0] += seed
    return write(path, nifti(array))


def label(path: Path) -> Path:
    return write(path, nifti())


def rows_of(task: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((task / "cases.csv").read_text().splitlines()))


def nnunet(
    root: Path, told: Mapping[str, object], *, channels: int = 1, tests: int = 1, held: bool = False
) -> Path:
    """Lay out three training cases and some test cases as nnU-Net does."""
    for number in range(3 + tests):
        side = "Tr" if number < 3 else "Ts"
        for channel in range(channels):
            image(root / f"images{side}/la_{number:03d}_{channel:04d}.nii.gz", 7 * number + channel)
        if side == "Tr" or held:
            label(root / f"labels{side}/la_{number:03d}.nii.gz")

    (root / "dataset.json").write_text(json.dumps(told))
    return root


VERSION_2 = {
    "channel_names": {"0": "T1"},
    "labels": {"background": 0, "left atrium": 1, "wall": 2},
    "numTraining": 3,
    "file_ending": ".nii.gz",
}
LISTED = [
    {"image": f"./imagesTr/la_{n:03d}.nii.gz", "label": f"./labelsTr/la_{n:03d}.nii.gz"}
    for n in range(3)
]
VERSION_1 = {
    "name": "LeftAtrium",
    "modality": {"0": "MRI"},
    "labels": {"0": "background", "1": "left atrium", "2": "wall"},
    "training": LISTED,
    "test": ["./imagesTs/la_003.nii.gz"],
}


@pytest.mark.parametrize("told", [VERSION_1, VERSION_2], ids=["version 1", "version 2"])
def test_an_nnu_net_folder_becomes_a_task_that_is_prepared(
    tmp_path: Path, told: Mapping[str, object]
) -> None:
    place = nnunet(tmp_path / "Dataset", told, held=True)

    made = draft(tmp_path / "task", place)

    rows = rows_of(made.task)
    assert [row["case"] for row in rows] == ["la_000", "la_001", "la_002", "la_003"]
    assert [row["split"] for row in rows] == ["train"] * 3 + ["test"]
    assert rows[0]["image"] == "imagesTr/la_000_0000.nii.gz"
    assert rows[3]["label"] == "labelsTs/la_003.nii.gz"
    assert reading.load(made.task).labels == {"background": 0, "left atrium": 1, "wall": 2}
    assert made.guessed["modality"].startswith("MR, from")
    assert made.guessed["test set"] == "1 case, 1 of them with labels"
    (tmp_path / "making").mkdir()
    found = prepare(made.task, made.data, tmp_path / "making", 0, Store(), cores=1)
    assert len(found.inventory.cases) == 4


def test_channels_become_columns_under_their_names(tmp_path: Path) -> None:
    told = {**VERSION_2, "channel_names": {"0": "T1w", "1": "FLAIR (2D)"}}

    made = draft(tmp_path / "task", nnunet(tmp_path / "D", told, channels=2))

    assert reading.load(made.task).data.images == ("T1w", "FLAIR-2D")
    assert rows_of(made.task)[0]["FLAIR-2D"] == "imagesTr/la_000_0001.nii.gz"
    assert made.guessed["test set"].startswith("1 case without labels")


def test_a_missing_channel_and_a_missing_label_are_named(tmp_path: Path) -> None:
    place = nnunet(tmp_path / "D", VERSION_2, channels=2)
    (place / "imagesTr/la_001_0001.nii.gz").unlink()
    (place / "labelsTr/la_002.nii.gz").unlink()

    with pytest.raises(DataProblems) as caught:
        draft(tmp_path / "task", place)

    said = str(caught.value)
    assert "case la_001, channel 0001 beside imagesTr/la_001_0000.nii.gz: is not there" in said
    assert "case la_002, labelsTr/la_002.nii.gz: is not there" in said
    assert not (tmp_path / "task").exists()


def test_regions_are_taken_apart_and_said(tmp_path: Path) -> None:
    told = {**VERSION_2, "labels": {"background": 0, "whole": [1, 2], "core": [2]}}

    made = draft(tmp_path / "task", nnunet(tmp_path / "D", told))

    assert reading.load(made.task).labels == {"background": 0, "label 1": 1, "label 2": 2}
    assert "the regions whole, core are unions of labels" in made.remarks[0]


def decathlon(root: Path) -> Path:
    told = {**VERSION_1, "modality": {"0": "CT"}}
    for number in range(4):
        side = "Tr" if number < 3 else "Ts"
        image(root / f"images{side}/la_{number:03d}.nii.gz", number)
        write(root / f"images{side}/._la_{number:03d}.nii.gz", b"resource fork")
    for number in range(3):
        label(root / f"labelsTr/la_{number:03d}.nii.gz")

    (root / "dataset.json").write_text(json.dumps(told))
    return root


def test_a_decathlon_folder_is_read_by_its_list(tmp_path: Path) -> None:
    made = draft(tmp_path / "task", decathlon(tmp_path / "Task02") / "dataset.json")

    assert made.convention == "Decathlon dataset.json"
    assert rows_of(made.task)[0]["image"] == "imagesTr/la_000.nii.gz"
    assert made.guessed["modality"] == "CT, from CT"
    assert len(rows_of(made.task)) == 4


def test_a_file_of_several_channels_is_said_to_need_cutting(tmp_path: Path) -> None:
    place = decathlon(tmp_path / "Task01")
    told = {**VERSION_1, "modality": {"0": "T2", "1": "ADC"}}
    (place / "dataset.json").write_text(json.dumps(told))

    made = draft(tmp_path / "task", place)

    assert "must be cut into one file per channel" in made.remarks[0]


LAYOUTS = {
    "two folders": ("images/{}.nii.gz", "masks/{}.nii.gz"),
    "one folder": ("{}.nii.gz", "{}_seg.nii.gz"),
    "words in front": ("image_{}.nii.gz", "label_{}.nii.gz"),
    "a folder per case": ("{}/image.nii.gz", "{}/label.nii.gz"),
    "a described mask": ("{}_ct.nii.gz", "{}_ct_seg-manual.nii.gz"),
    "training and test": ("train/images/{}.nii.gz", "train/labels/{}.nii.gz"),
}


def plain(root: Path, layout: tuple[str, str], names: list[str]) -> Path:
    for seed, name in enumerate(names):
        image(root / layout[0].format(name), seed)
        label(root / layout[1].format(name))

    return root


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_plain_folder_is_read_by_names_that_match(
    tmp_path: Path, layout: tuple[str, str]
) -> None:
    made = draft(tmp_path / "task", plain(tmp_path / "scans", layout, ["a1", "b2", "c3"]))

    rows = rows_of(made.task)
    assert [row["case"].split("_")[0] for row in rows] == ["a1", "b2", "c3"]
    for row, name in zip(rows, ["a1", "b2", "c3"], strict=True):
        assert (row["image"], row["label"]) == tuple(part.format(name) for part in layout)
    assert reading.load(made.task).labels == {"background": 0, "label 1": 1, "label 2": 2}
    assert "from what 3 of 3 masks hold" in made.guessed["labels"]
    assert made.guessed["test set"].startswith("none")


def test_several_images_per_mask_are_channels(tmp_path: Path) -> None:
    for seed, name in enumerate(("p1", "p2", "p3")):
        for step, channel in enumerate(("t1", "flair")):
            image(tmp_path / f"scans/{name}/{name}_{channel}.nii.gz", 10 * seed + step)
        label(tmp_path / f"scans/{name}/{name}_seg.nii.gz")

    made = draft(tmp_path / "task", tmp_path / "scans")

    assert reading.load(made.task).data.images == ("flair", "t1")
    assert made.guessed["modality"] == "MR, from flair, t1"


def test_folders_for_training_and_test_are_followed(tmp_path: Path) -> None:
    root = plain(tmp_path / "s", LAYOUTS["training and test"], ["a1", "b2", "c3"])
    plain(root, ("test/images/{}.nii.gz", "test/labels/{}.nii.gz"), ["d4"])
    image(root / "test/images/e5.nii.gz", 9)

    made = draft(tmp_path / "task", root)

    assert [(r["case"], r["split"], bool(r["label"])) for r in rows_of(made.task)][3:] == [
        ("d4", "test", True),
        ("e5", "test", False),
    ]


@pytest.mark.parametrize(
    ("names", "patients"),
    [
        (["p01-v1", "p01-v2", "p02-v1"], ["p01", "p01", "p02"]),
        (["sub-01_ses-1_T1w", "sub-01_ses-2_T1w", "sub-02_ses-1_T1w"], ["sub-01"] * 2 + ["sub-02"]),
        (["knee12_left", "knee12_right", "knee13_left"], ["knee12", "knee12", "knee13"]),
        (["case_001", "case_002", "case_003"], ["case_001", "case_002", "case_003"]),
    ],
)
def test_patients_are_guessed_from_names_and_said(
    tmp_path: Path, names: list[str], patients: list[str]
) -> None:
    made = draft(tmp_path / "task", plain(tmp_path / "s", LAYOUTS["two folders"], names))

    assert [row["patient"] for row in rows_of(made.task)] == patients
    told = made.guessed["patients"]
    assert patients[0] in told if len(set(patients)) < 3 else "a patient of its own" in told


def test_a_mask_of_one_number_is_foreground_and_air_is_ct(tmp_path: Path) -> None:
    for number in range(3):
        array = voxels("int16") - 1124
        write(tmp_path / f"s/images/c{number}.nii.gz", nifti(array + number))
        write(tmp_path / f"s/masks/c{number}.nii.gz", nifti((voxels() > 0).astype("uint8") * 255))

    made = draft(tmp_path / "task", tmp_path / "s")

    assert reading.load(made.task).labels == {"background": 0, "foreground": 255}
    assert made.guessed["modality"] == "CT, because grey values go down to -1024"


def refused(tmp_path: Path, kind: type[AmidError]) -> str:
    with pytest.raises(kind) as caught:
        draft(tmp_path / "task", tmp_path / "s")

    assert not (tmp_path / "task").exists()
    return str(caught.value)


def test_folders_that_are_not_understood_say_why(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    assert "there are no volumes in this folder" in refused(tmp_path, DataMissing)

    image(tmp_path / "s/a.nii.gz")
    assert "none of the 1 volumes is known as a mask" in refused(tmp_path, DataMissing)

    label(tmp_path / "s/masks/b.nii.gz")
    assert "no name of the 1 images matches one of the 1 masks" in refused(tmp_path, DataMissing)

    label(tmp_path / "s/a_seg_liver.nii.gz")
    label(tmp_path / "s/a_seg_spleen.nii.gz")
    assert "one image has several masks" in refused(tmp_path, DataMissing)

    (tmp_path / "s/dataset.json").write_text("{")
    assert "dataset.json cannot be read" in refused(tmp_path, DataMissing)

    (tmp_path / "s/dataset.json").write_text('{"labels": {"0": "x"}, "training": [{"image": 1}]}')
    assert "is not as nnU-Net or the Decathlon write it" in refused(tmp_path, DataMissing)


def test_names_that_are_nearly_the_same_are_refused_as_in_a_table(tmp_path: Path) -> None:
    plain(tmp_path / "s", LAYOUTS["two folders"], ["P1", "p01", "p3"])

    assert "looks like" in refused(tmp_path, TableWrong)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    place = plain(tmp_path / "s", LAYOUTS["one folder"], ["a1", "b2", "c3"])
    made: Draft = draft(tmp_path / "task", place)
    before = (made.task / "cases.csv").read_bytes()

    with pytest.raises(FolderExists):
        draft(tmp_path / "task", place)

    assert (made.task / "cases.csv").read_bytes() == before


def test_the_command_says_what_was_guessed_what_to_check_and_what_is_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = nnunet(tmp_path / "D", VERSION_2)

    assert call(["init", str(tmp_path / "task"), "--from", str(place)]) == 0
    said = capsys.readouterr().out
    assert "guessed:\n  patients:" in said
    assert "check:\n  - that cases of one patient have one name" in said
    assert f"next:  amid run {tmp_path / 'task'} --data {place} -o RUN" in said

    assert call(["init", str(tmp_path / "b"), "--from", str(place), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "init/1"
    assert set(told["guessed"]) == {"patients", "modality", "labels", "channels", "test set"}


def test_masks_are_only_read_as_whole_numbers(tmp_path: Path) -> None:
    place = plain(tmp_path / "s", LAYOUTS["one folder"], ["a1", "b2", "c3"])
    write(place / "a1_seg.nii.gz", nifti(np.full_like(voxels("float32"), 0.5)))

    assert reading.load(draft(tmp_path / "task", place).task).labels["label 2"] == 2
