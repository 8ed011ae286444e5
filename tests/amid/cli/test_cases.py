"""`amid show RUN c-0030`: an owner learns which case of theirs a report speaks of."""

import json
import shutil
from pathlib import Path

import pytest

from amid.cli import call
from amid.data.vault import Aliases
from amid.demo import tiny
from amid.run import making


@pytest.fixture
def run(tmp_path: Path) -> Path:
    task = tiny.make(tmp_path / "task")
    making.create_run(
        task, tmp_path / "run", data=None, seed=3, budget=None, agents="recipe=1", sandbox="none",
        cores=1,
    )  # fmt: skip
    return tmp_path / "run"


def shown(run: Path, thing: str, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    capsys.readouterr()
    assert call(["show", str(run), thing, "--json"]) == 0
    told: dict[str, object] = json.loads(capsys.readouterr().out)
    return told


def aliases(run: Path) -> dict[str, str]:
    found = Aliases.model_validate_json((run / "vault/aliases.json").read_bytes())
    return {case.case: case.alias for case in found.cases}


def test_a_case_is_told_with_its_name_files_and_side(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = shown(run, aliases(run)["p08-v1"], capsys)

    assert told["kind"] == "case"
    assert told["called"] == "p08-v1"
    assert told["patient"] == told["group_called"] == "p08"
    assert told["image image"] == "images/p08-v1.nii.gz"
    assert told["label"] == "labels/p08-v1.nii.gz"
    assert told["stands_in"] == ["test"]


def test_a_development_case_stands_in_each_fold(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = [shown(run, alias, capsys)["stands_in"] for alias in aliases(run).values()]

    assert ["validation f1", "fit f2"] in sides
    assert ["inner"] in sides


def test_a_group_is_told_with_its_cases(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = shown(run, aliases(run)["p01-v1"], capsys)
    told = shown(run, str(case["group"]), capsys)

    assert told["kind"] == "group"
    assert told["called"] == "p01"
    assert told["cases"] == sorted((aliases(run)["p01-v1"], aliases(run)["p01-v2"]))


def test_without_the_vault_no_name_is_told(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alias = aliases(run)["p01-v1"]
    shutil.rmtree(run / "vault")

    told = shown(run, f"case:{alias}", capsys)

    assert told["called"] == "in the vault, which cannot be read here"
    assert "p01" not in str(told)


def test_what_no_case_is_called_is_still_unknown(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["show", str(run), "c-9999"]) == 2
    assert "nothing in this run is called 'c-9999'" in capsys.readouterr().err
