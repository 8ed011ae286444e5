"""nnU-Net's split file: read as aliases, or refused with the fold and the case."""

import json
from pathlib import Path

import pytest

from amid.data import given
from amid.data.split import Given
from amid.demo import tiny
from amid.errors import SplitWrong, TaskMissing
from amid.tasks import reading, table
from amid.tasks.table import Table


@pytest.fixture
def rows(tmp_path: Path) -> Table:
    task = tiny.make(tmp_path / "tiny")
    return table.read(reading.load(task), task)


def read(folder: Path, rows: Table, content: object) -> tuple[Given, ...]:
    path = folder / "splits_final.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return given.read(path, rows, {row.case: f"alias of {row.case}" for row in rows.rows})


def test_reads_folds_as_aliases(tmp_path: Path, rows: Table) -> None:
    (fold,) = read(tmp_path, rows, [{"train": ["p02-v1", "p01-v1"], "val": ["p03-v1"]}])

    assert fold.fit == ("alias of p01-v1", "alias of p02-v1")
    assert fold.validation == ("alias of p03-v1",)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("not json", "is not a list of"),
        ("[]", "is not a list of"),
        ([{"train": ["p01-v1"]}], "is not a list of"),
        ([{"train": "p01-v1", "val": []}], "is not a list of"),
        ([{"train": ["p1-v1"], "val": []}], "p1-v1 is not in the table; did you mean p01-v1"),
        ([{"train": [], "val": ["p07-v1"]}], "fold 1, val: p07-v1 is a test case"),
        ([{"train": ["x", "y"], "val": []}], "2 cases do not fit"),
    ],
)
def test_names_what_does_not_fit(tmp_path: Path, rows: Table, content: object, says: str) -> None:
    with pytest.raises(SplitWrong, match=says):
        read(tmp_path, rows, content)


def test_a_missing_file_is_missing(tmp_path: Path, rows: Table) -> None:
    with pytest.raises(TaskMissing):
        given.read(tmp_path / "no.json", rows, {})
