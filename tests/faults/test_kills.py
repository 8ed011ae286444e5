"""Kill the whole process tree at any moment; resume; the decisions are those of a quiet run."""

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from amid.run.compose import events
from replay.redecide import redecide
from runtime.intents import JobIntent, open_intents
from tests.e2e.runs import Tree, alive, amid, decisions, descendants
from tests.faults.conftest import SEED

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600)]

KILLS = 40
POINTS = ("decided", "before-effect", "after-effect")


def under_way(run: Path) -> Counter[str]:
    """Count the kinds of jobs that were open when the tree died."""
    from projections.run import RunState

    if not (run / "ledger.db").exists():
        return Counter(("before the run",))

    state = RunState.of(events(run))
    claimed = [
        i.job.request.kind
        for i in open_intents(state)
        if isinstance(i, JobIntent) and (run / "jobs" / i.job.key / "beat").exists()
    ]
    return Counter(claimed)


def resume(task: Path, run: Path) -> None:
    """Go on with a run, or start it where it was killed before it existed."""
    if run.exists():
        amid("resume", run)
    else:
        amid("run", task, "-o", run, "--seed", SEED, "--cores", "2")


def test_forty_kills_change_no_decision(
    task: Path, quiet: tuple[Path, float], tmp_path: Path
) -> None:
    """Given 40 kills uniform in time, then each resumed run decides what the quiet one did."""
    whole, seconds = quiet
    expected = decisions(whole)
    draw = random.Random(5)
    met: Counter[str] = Counter()

    for n in range(KILLS):
        run = tmp_path / f"run{n}"
        tree = Tree.start("run", task, "-o", run, "--seed", SEED, "--cores", "2")
        time.sleep((n + draw.random()) * seconds / KILLS)
        below = list(descendants(tree.process.pid))
        tree.kill()
        assert not [pid for pid in below if alive(pid)]
        met += under_way(run)
        resume(task, run)
        assert decisions(run) == expected, f"kill {n}"

    print(dict(met))  # noqa: T201 - the figures go into the docs
    assert met["train"] + met["predict"] >= 5
    assert met["decode"] + met["review"] >= 2


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("at", [2, 9, 23])
def test_kills_between_an_append_and_its_effect_change_no_decision(
    task: Path, quiet: tuple[Path, float], tmp_path: Path, point: str, at: int
) -> None:
    """Given a death right before or after an effect, then the same decisions and no divergence."""
    from amid.run.compose import _context
    from ledger.blobs import BlobStore
    from projections.run import RunState

    run = tmp_path / "run"
    tree = Tree.start(
        "run", task, "-o", run, "--seed", SEED, "--cores", "2", AMID_CRASH=f"{point}:{at}"
    )
    tree.process.wait(timeout=600)
    assert tree.process.returncode == -9
    resume(task, run)
    assert decisions(run) == decisions(quiet[0])
    log = events(run)
    answer = redecide(log, _context(RunState.of(log), BlobStore(run / "blobs")))
    assert answer.ok, answer.divergence
