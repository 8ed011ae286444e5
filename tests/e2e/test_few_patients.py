"""Three patients: said at the start, every attempt flagged, and the run ends undecided."""

import subprocess
from pathlib import Path

import pytest

from amid.demo import tiny
from tests.amid.sample import edit_table
from tests.e2e.runs import amid, answer

Ended = tuple[Path, "subprocess.CompletedProcess[str]"]

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def ended(
    tmp_path_factory: pytest.TempPathFactory,
) -> Ended:
    """A run on three patients with one case each, and what its process said."""
    folder = tmp_path_factory.mktemp("few")
    task = tiny.make(folder / "task")

    def three(rows: list[dict[str, str]]) -> None:
        rows[:] = [row for row in rows if row["case"] in ("p01-v1", "p02-v1", "p03-v1")]

    edit_table(task, three)
    run = folder / "run"
    return run, amid("run", task, "-o", run, "--seed", "1", "--cores", "2", ok=(6,))


def test_what_is_notable_about_the_data_is_told_before_anything_runs(
    ended: Ended,
) -> None:
    lines = ended[1].stderr.splitlines()
    told = [line for line in lines if line.startswith(" data  ")]

    assert lines[: len(told)] == told
    assert " data  only 3 development groups: intervals will be wide" in told
    assert " data  few groups: 3; results can be flagged at best, 5 are enough" in told


def test_it_ends_undecided_with_the_cause_and_exit_code_6(
    ended: Ended,
) -> None:
    run, done = ended

    assert done.returncode == 6, done.stderr
    assert done.stdout.startswith("undecided: every attempt is flagged (")
    assert "STAT_CI_OVERLAP" in done.stdout
    assert "3 groups outside the test set: no interval can separate attempts" in done.stdout
    assert "a person must decide" in done.stdout
    assert answer("status", run)["outcome"] == "undecided"


def test_status_keeps_what_is_notable(
    ended: Ended,
) -> None:
    data = answer("status", ended[0])["data"]

    assert isinstance(data, list)
    assert "few groups: 3; results can be flagged at best, 5 are enough" in data
