"""Every import contract holds, and every one is broken by the violation it is there for."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.tree import PACKAGES, ROOT, settings

CONTRACTS: dict[str, dict[str, Any]] = {
    contract["id"]: contract for contract in settings()["tool"]["importlinter"]["contracts"]
}

VIOLATIONS = [
    ("layers", "ledger/planted.py", "projections"),
    ("layers", "projections/planted.py", "runtime.ports"),
    ("layers", "runtime/planted.py", "replay"),
    ("layers", "replay/planted.py", "amid.documents"),
    ("rooms", "amid/report/planted.py", "amid.cli"),
    ("rooms", "amid/tasks/planted.py", "amid.data.vault"),
    ("rooms", "amid/review/planted.py", "amid.agents.recipe"),
    ("rooms", "amid/planning/planted.py", "amid.profile.profile"),
    ("ledger-core", "ledger/planted.py", "ledger.events.base"),
    ("pure", "projections/planted.py", "sqlite_utils"),
    ("pure", "runtime/decide/planted.py", "time"),
    ("pure", "amid/review/checks/planted.py", "SimpleITK"),
    ("pure", "amid/review/rules.py", "os"),
    ("pure", "amid/kinds/segmentation/checks/planted.py", "torch"),
    ("pure", "amid/data/split.py", "subprocess"),
    ("no-dice", "runtime/decide/planted.py", "random"),
    ("light-ledger", "ledger/events/planted.py", "anyio"),
    ("verifier-cannot-act", "replay/planted.py", "runtime.loop"),
    ("verifier-cannot-act", "replay/planted.py", "runtime.adapters"),
    ("judges-stand-apart", "amid/review/checks/planted.py", "runtime.ports"),
    ("judges-stand-apart", "amid/kinds/segmentation/checks/planted.py", "amid.planning"),
    ("judges-stand-apart", "amid/review/rules.py", "amid.planning"),
    ("jobs-hold-no-pen", "runtime/job.py", "ledger.store"),
    ("jobs-hold-no-pen", "runtime/confine.py", "ledger.store"),
]


def lint(folder: Path) -> tuple[int, str]:
    """Run import-linter on the packages that lie in a folder."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as main; main()",
            "--no-cache",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package,
            tmp_path / package,
            ignore=lambda _folder, names: [
                n for n in names if ("." in n and not n.endswith(".py")) or n == "__pycache__"
            ],
        )

    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_tree_keeps_every_contract(copy: Path) -> None:
    code, said = lint(copy)

    assert code == 0, said


@pytest.mark.parametrize(("contract", "file", "forbidden"), VIOLATIONS)
def test_a_planted_violation_is_named(copy: Path, contract: str, file: str, forbidden: str) -> None:
    # Given an import inside a function, where it is easiest to overlook
    with (copy / file).open("a") as source:
        source.write(f"\n\ndef planted() -> None:\n    import {forbidden}\n")

    code, said = lint(copy)

    broken = [line for line in said.splitlines() if line.endswith("BROKEN")]
    assert code != 0
    assert f"{CONTRACTS[contract]['name']} BROKEN" in broken, said


def test_every_contract_has_a_planted_violation() -> None:
    assert {contract for contract, _file, _import in VIOLATIONS} == set(CONTRACTS)
