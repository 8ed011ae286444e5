"""The page about the case table: its example is a table, its commands work as they stand."""

import re
import shlex
from pathlib import Path

import pytest

from amid.cli import call
from amid.demo import tiny
from amid.tasks import table
from tests.amid.sample import contract
from tests.architecture.tree import ROOT

PAGE = (ROOT / "docs/case-table.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_example_is_read_as_the_page_says(tmp_path: Path) -> None:
    (example,) = blocks("csv")
    (tmp_path / "cases.csv").write_text(example)

    rows = table.read(contract(report_by=("site",)), tmp_path).rows

    assert [row.split for row in rows].count("test") == 2
    assert [row.group for row in rows].count("p01") == 2
    assert rows[-1].label is None


def test_the_page_names_every_column_that_a_table_must_have() -> None:
    for column in ("case", "patient", "split", "image", "label"):
        assert f"| `{column}` |" in PAGE


def test_its_commands_work_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tiny.make(tmp_path / "made")
    scans = tmp_path / "scans"
    scans.mkdir()
    (made / "images").rename(scans / "images")
    (made / "labels").rename(scans / "labels")
    monkeypatch.chdir(tmp_path)
    (console,) = blocks("console")

    for line in console.splitlines():
        assert call(shlex.split(line.removeprefix("$ amid "))) == 0

    assert (tmp_path / "my-run" / "ledger.db").is_file()
