"""A training in steps is asked to stop at its wall limit and ends at its next checkpoint."""

from pathlib import Path

from runtime.ports import JobOutcome
from tests.runtime.job_places import LIMITS, Place, execute

TRAINING = """
import json, os, time

for k in range(1, 200):
    time.sleep(0.05)
    if os.path.exists("ask/stop") or os.environ.get("AMID_STOP_AT") == str(k):
        json.dump({"stopped_at": k}, open("out/stopped.json", "w"))
        break
"""


def trained(place: Place, code: str, *, steps: int = 100, stop_at: str = "") -> JobOutcome:
    """Run a training with a wall limit of one second."""
    environment = {
        "HOME": "tmp",
        "TMPDIR": "tmp",
        "AMID_STEPS": str(steps),
        "AMID_STOP_AT": stop_at,
    }
    limits = LIMITS.model_copy(update={"wall_s": 1})
    return execute(place.job(code, environment=environment, limits=limits))


def test_it_ends_at_the_next_checkpoint_and_says_which(tmp_path: Path) -> None:
    """Given a training longer than its wall limit, then it finishes with its checkpoint."""
    outcome = trained(Place.make(tmp_path), TRAINING)
    assert outcome.status == "finished", outcome.reason
    assert outcome.stopped_at is not None
    assert outcome.stopped_at > 5
    assert outcome.wall_ms < 10_000


def test_a_given_checkpoint_gives_the_same_outputs(tmp_path: Path) -> None:
    """Given AMID_STOP_AT, then the outputs are those of a training that was asked to stop there."""
    asked = trained(Place.make(tmp_path / "a"), TRAINING)
    told = trained(Place.make(tmp_path / "b"), TRAINING, stop_at=str(asked.stopped_at))
    assert told.stopped_at == asked.stopped_at
    assert told.outputs == asked.outputs


def test_a_job_without_steps_is_ended_at_the_limit(tmp_path: Path) -> None:
    """Given no steps, then nobody asks: the limit ends the job and it has failed."""
    outcome = trained(Place.make(tmp_path), TRAINING, steps=0)
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
