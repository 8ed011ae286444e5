"""Making a run: whole, or refused in words with nothing left behind."""

import fcntl
import os
from pathlib import Path

import pytest

from amid.cli import call
from amid.demo import tiny


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return tiny.make(tmp_path / "task")


@pytest.mark.parametrize(
    "option",
    [
        ["--budget", "abc"],
        ["--budget", "0s"],
        ["--budget", "99999999999d"],
        ["--agents", "recipe=\u00b2"],
        ["--agents", "recipe=99999999999"],
        ["--agents", "recipe=0"],
    ],
)
def test_an_option_that_means_nothing_is_wrong_use(
    task: Path, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["run", str(task), "-o", str(task.parent / "run"), *option]) == 2

    assert option[0] in capsys.readouterr().err
    assert [path.name for path in task.parent.iterdir()] == ["task"]


@pytest.mark.parametrize("name", ["r" * 300, "/".join(["r" * 200] * 25), "task/cases.csv/run"])
def test_a_place_that_cannot_be_is_wrong_use(
    task: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["run", str(task), "-o", str(task.parent / name)]) in (2, 3)

    assert "defect" not in capsys.readouterr().err
    assert [path.name for path in task.parent.iterdir()] == ["task"]


@pytest.mark.parametrize("name", ["link", "x/.."])
def test_whatever_has_the_name_is_never_replaced(task: Path, name: str) -> None:
    (task.parent / "link").symlink_to("nowhere")

    assert call(["run", str(task), "-o", str(task.parent / name)]) == 2

    assert sorted(path.name for path in task.parent.iterdir()) == ["link", "task"]


def test_parents_made_for_a_refused_run_are_taken_back(task: Path) -> None:
    (task / "images" / "p01-v1.nii.gz").unlink()

    assert call(["run", str(task), "-o", str(task.parent / "a/b/run")]) == 3

    assert [path.name for path in task.parent.iterdir()] == ["task"]


def test_a_list_of_mistakes_is_told_line_by_line(
    task: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = task / "cases.csv"
    table.write_text(table.read_text().replace(",train,", ",trian,"))

    assert call(["run", str(task), "-o", str(task.parent / "run")]) == 2

    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "amid: 12 mistakes in the case table"
    assert lines[1] == '  - line 2: split is "trian"; allowed: train, test'
    assert len(lines) < 10


def test_two_that_make_one_run_do_not_disturb_each_other(task: Path) -> None:
    making = task.parent / ".run.making"
    making.mkdir()
    (making / "half").write_text("of another")
    handle = os.open(making, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    words = ["run", str(task), "-o", str(task.parent / "run"), "--until", "profile"]

    assert call(words) == 4
    assert (making / "half").read_text() == "of another"

    os.close(handle)
    assert call(words) == 0
    assert sorted(path.name for path in task.parent.iterdir()) == ["run", "task"]
    assert not (task.parent / "run" / "half").exists()
