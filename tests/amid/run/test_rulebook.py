"""The digest of the rules follows whatever decides a verdict, and nothing else."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from amid.run.rulebook import rules_digest, sources
from tests.architecture.tree import PACKAGES, ROOT

ASK = "from amid.run.rulebook import rules_digest; print(rules_digest())"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )

    return tmp_path


def digest_in(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ASK], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    "file",
    [
        "amid/review/checks/score_claim.py",
        "amid/kinds/segmentation/checks/geometry.py",
        "amid/kinds/segmentation/metrics/surface.py",
        "amid/kinds/classification/metrics.py",
        "amid/data/space.py",
        "amid/review/intervals.py",
    ],
)
def test_a_changed_body_is_another_rule_set(copy: Path, file: str) -> None:
    before = digest_in(copy)
    assert before == rules_digest()

    with (copy / file).open("a") as source:
        source.write("\n_CHANGED = True\n")

    assert digest_in(copy) != before


@pytest.mark.parametrize("file", ["amid/report/page.py", "amid/kinds/segmentation/overlay.py"])
def test_what_only_shows_a_verdict_changes_nothing(copy: Path, file: str) -> None:
    before = digest_in(copy)

    with (copy / file).open("a") as source:
        source.write("\n_CHANGED = True\n")

    assert digest_in(copy) == before


def test_every_check_is_covered() -> None:
    covered = {name for name, _ in sources()}
    checks = {str(path.relative_to(ROOT / "amid")) for path in (ROOT / "amid").rglob("checks/*.py")}

    assert checks <= covered
