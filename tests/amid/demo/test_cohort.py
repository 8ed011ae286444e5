"""The simulated cohort: the same for one seed, said to be simulated, and worth learning from."""

import csv
import sys
from pathlib import Path

import numpy as np
import pytest
import SimpleITK

from amid import demo
from amid.demo import texts
from amid.demo.texts import Division
from amid.errors import FolderExists, PackageMissing
from amid.tasks.reading import load
from amid.tasks.table import read

pytest.importorskip("nilearn", reason="the demo's template is not installed")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def table_of(task: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((task / "cases.csv").read_text().splitlines()))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo.make(tmp_path_factory.mktemp("task") / "small", size=demo.SMALL)


def test_the_same_seed_gives_the_same_bytes(small: Path, tmp_path: Path) -> None:
    again = demo.make(tmp_path / "again", size=demo.SMALL)
    other = demo.make(tmp_path / "other", 1, size=demo.SMALL)

    assert contents(again) == contents(small)
    images = [name for name in contents(small) if name.startswith("images/")]
    assert not any(contents(other)[name] == contents(small)[name] for name in images)


def test_it_is_never_made_over_something_else(tmp_path: Path) -> None:
    with pytest.raises(FolderExists):
        demo.make(tmp_path, size=demo.SMALL)


def test_without_the_package_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nilearn.datasets", None)

    with pytest.raises(PackageMissing, match="--tiny"):
        demo.make(tmp_path / "task", size=demo.SMALL)

    assert not (tmp_path / "task").exists()


def test_it_is_plainly_said_to_be_simulated(small: Path) -> None:
    assert "**Simulated.**" in (small / "README.md").read_text()
    assert (small / "task.toml").read_text().startswith("# SIMULATED")
    assert load(small).task.modality == ("simulated MR (one template, no patients)",)


def test_the_table_has_the_columns_of_a_study(small: Path) -> None:
    assert list(table_of(small)[0]) == [
        "case",
        "patient",
        "split",
        "site",
        "date",
        "image",
        "label",
    ]
    assert {row.attributes["site"] for row in read(load(small), small).rows} == {
        "north", "east", "south",
    }  # fmt: skip


def test_grey_lies_around_white_and_both_fill_a_brain(small: Path) -> None:
    for row in table_of(small):
        label = SimpleITK.ReadImage(str(small / row["label"]))
        image = SimpleITK.ReadImage(str(small / row["image"]))
        values, labels = map(SimpleITK.GetArrayFromImage, (image, label))

        assert label.GetSize() == image.GetSize() == demo.SMALL.voxels
        assert label.GetOrigin() == image.GetOrigin()
        assert 0.15 < np.mean(labels == 1) < 0.35
        assert 0.08 < np.mean(labels == 2) < 0.2
        means = [values[labels == number].mean() for number in range(3)]
        assert means[0] < means[1] < means[2]


@pytest.mark.parametrize("division", ["auto", "by-site", "given"])
def test_every_division_makes_a_sound_contract(division: Division, tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text(texts.task(division))

    validation = load(tmp_path).validation
    assert validation.report_by == ("site",)
    assert validation.scheme == {"by-site": "leave-one-out", "given": "file"}.get(division, "auto")
