"""Decoder, reviewer and exporter are killed: no verdict, no refusal, and resume exports."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.runs import ROOT, amid, answer, content_of, outcomes

pytestmark = pytest.mark.timeout(300)

KILLING = """
import sys
from dataclasses import replace
from amid.cli import main
from runtime.adapters.executors.local import LocalExecutor

left = {"decode": 1, "review": 1, "package": 3}
was = LocalExecutor.run

async def run(self, spec):
    if left.get(spec.kind):
        left[spec.kind] -= 1
        words = ("python", "-I", "-c", "import os; os.kill(os.getpid(), 9)")
        spec = replace(spec, argv=words)

    return await was(self, spec)

LocalExecutor.run = run
sys.exit(main())
"""


@pytest.fixture(scope="module")
def killed(task: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose jobs were killed, not yet resumed."""
    place = tmp_path_factory.mktemp("killed") / "run"
    words = ["run", task, "-o", place, "--seed", "7", "--cores", "2"]
    done = subprocess.run(
        [sys.executable, "-c", KILLING, *map(str, words)],
        capture_output=True, text=True, cwd=ROOT, check=False, timeout=280,
    )  # fmt: skip
    assert done.returncode == 6, done.stdout + done.stderr
    assert "the package job was lost 3 times, the last time: killed by SIGKILL" in done.stdout
    return place


def test_the_run_waits_and_resume_exports(killed: Path, run: Path) -> None:
    """Given an export killed three times, then resume builds the package of a quiet run."""
    lost = [fact.cause for fact in outcomes(killed, "job.lost")]  # type: ignore[attr-defined]
    assert lost == ["ended"] * 5

    amid("resume", killed)

    assert answer("status", killed)["outcome"] == "package"
    assert answer("verify", killed)["ok"] is True
    assert answer("replay", killed)["ok"] is True
    assert content_of(killed / "package/payload") == content_of(run / "package/payload")
