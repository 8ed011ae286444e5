"""A training in steps is asked to stop at its wall limit and ends at its next checkpoint."""

import json
from pathlib import Path

from runtime.adapters.executors.result import write_order
from runtime.ports import JobOutcome
from tests.runtime.job_places import LIMITS, Place, execute

TRAINING = """
import json, os, time

for k in range(1, {checkpoints}):
    time.sleep(0.05)
    if os.path.exists("ask/stop") or os.environ.get("AMID_STOP_AT") == str(k):
        json.dump({{"stopped_at": k}}, open("out/stopped.json", "w"))
        break
"""
ENDLESS = TRAINING.format(checkpoints=10**9)
SHORT = TRAINING.format(checkpoints=40)
"""Takes at least two seconds on any machine."""


def trained(
    place: Place, code: str, *, steps: int = 100, stop_at: str = "", patience_s: int | None = None
) -> JobOutcome:
    """Run a training with a wall limit of one second."""
    environment = {
        "HOME": "tmp",
        "TMPDIR": "tmp",
        "AMID_STEPS": str(steps),
        "AMID_STOP_AT": stop_at,
    }
    limits = LIMITS.model_copy(update={"wall_s": 1})
    job = place.job(code, environment=environment, limits=limits, patience_s=patience_s)
    return execute(job)


def test_it_ends_at_the_next_checkpoint_and_says_which(tmp_path: Path) -> None:
    """Given a training longer than its wall limit, then it finishes with its checkpoint."""
    outcome = trained(Place.make(tmp_path), ENDLESS)
    assert outcome.status == "finished", outcome.reason
    assert outcome.stopped_at is not None
    assert outcome.wall_ms >= 1000


def test_a_given_checkpoint_gives_the_same_outputs(tmp_path: Path) -> None:
    """Given a recorded checkpoint and a slower machine, then the training still ends there."""
    asked = trained(Place.make(tmp_path / "a"), ENDLESS)
    assert asked.stopped_at is not None
    slower = ENDLESS.replace("sleep(0.05)", "sleep(0.1)")  # at its old limit it would end earlier
    stop_at = str(asked.stopped_at)
    told = trained(Place.make(tmp_path / "b"), slower, stop_at=stop_at, patience_s=3600)
    assert told.stopped_at == asked.stopped_at
    assert told.outputs == asked.outputs


def test_what_ran_to_its_end_runs_to_its_end_again(tmp_path: Path) -> None:
    """Given no recorded checkpoint, then the wall limit of the record stops nothing."""
    again = trained(Place.make(tmp_path), SHORT, patience_s=3600)
    assert (again.status, again.stopped_at, again.outputs) == ("finished", None, ())


def test_a_reproduction_that_takes_too_long_says_so_by_a_code(tmp_path: Path) -> None:
    """Given too little patience, then the end is the clock's and no checkpoint is asked for."""
    late = trained(Place.make(tmp_path), ENDLESS, patience_s=1)
    assert (late.status, late.code, late.stopped_at) == ("failed", "WALL_LIMIT", None)


def test_a_reproduction_tells_the_job_the_recorded_limits(tmp_path: Path) -> None:
    """Given patience, then what the job may know of its limits is what it knew before."""
    place = Place.make(tmp_path)
    job = place.job("pass", patience_s=3600, threads=2)
    write_order(job)
    told = json.loads((job.folder / "job.json").read_bytes())
    held = json.loads((job.folder / "launch.json").read_bytes())
    assert told["limits"] == job.limits.model_dump()
    assert (held["limits"]["wall_s"], held["limits"]["cpu_s"]) == (3600, 7200)
    assert held["limits"]["memory_mib"] == job.limits.memory_mib


def test_a_job_without_steps_is_ended_at_the_limit(tmp_path: Path) -> None:
    """Given no steps, then nobody asks: the limit ends the job and it has failed."""
    outcome = trained(Place.make(tmp_path), ENDLESS, steps=0)
    assert outcome.status == "failed"
    assert "wall limit of 1 s" in outcome.reason


def test_a_job_cannot_ask_itself_or_lie_about_its_checkpoint(tmp_path: Path) -> None:
    """Given a job that writes into ask/ or tells no number, then it gets nothing out of it."""
    code = """
import json
try:
    open("ask/stop", "w")
except OSError:
    json.dump({"stopped_at": "soon"}, open("out/stopped.json", "w"))
"""
    outcome = trained(Place.make(tmp_path), code)
    assert outcome.status == "failed"
    assert "stopped_at" in outcome.reason
    assert any(d.path.startswith("job:ask") or "ask" in d.path for d in outcome.access.denied)
