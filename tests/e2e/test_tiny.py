"""The whole main job on a small task: run, verify, replay, rebuild, reproduce."""

import shutil
from pathlib import Path

import pytest

from amid.run.compose import events
from ledger.events.review import VerdictGiven
from tests.e2e.runs import amid, answer, content_of, outcomes, snapshot

pytestmark = pytest.mark.timeout(300)


def test_it_ends_with_a_package_that_checks_itself(run: Path) -> None:
    """Given a finished run, then its package's own verifier says yes without this program."""
    assert answer("status", run)["outcome"] == "package"
    import subprocess
    import sys

    verifier = run / "package" / "verify.py"
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(verifier)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_classical_lane_beats_every_null_model(run: Path) -> None:
    """Given the winner, then its paired interval over groups lies above every null."""
    promoted = {e.attempt for e in outcomes(run, "lane.promoted")}  # type: ignore[attr-defined]
    measured = {e.attempt: e for e in outcomes(run, "review.measured")}  # type: ignore[attr-defined]
    assert promoted
    assert all(measured[name].nulls_beaten for name in promoted)  # type: ignore[attr-defined]


def test_the_test_set_is_scored_once_after_the_last_verdict(run: Path) -> None:
    """Given the log, then `test.scored` stands once, behind every verdict."""
    log = events(run)
    scored = [i for i, e in enumerate(log) if e.type == "test.scored"]
    verdicts = [i for i, e in enumerate(log) if isinstance(e, VerdictGiven)]
    assert len(scored) == 1
    assert scored[0] > max(verdicts)


def test_verify_says_yes_and_changes_nothing(run: Path) -> None:
    """Given a whole run, then verify agrees, and every file is as it was, times included."""
    before = snapshot(run)
    assert answer("verify", run)["ok"] is True
    assert snapshot(run) == before


def test_replay_decides_the_same(run: Path) -> None:
    """Given the recorded outcomes, then today's deciders decide what was decided."""
    assert answer("replay", run)["ok"] is True


def test_rebuild_needs_ledger_and_blobs_only(run: Path, tmp_path: Path) -> None:
    """Given a folder with nothing but ledger and blobs, then payload and predictions come out."""
    bare = tmp_path / "bare"
    bare.mkdir()
    shutil.copy(run / "ledger.db", bare)
    shutil.copytree(run / "blobs", bare / "blobs")
    amid("rebuild", bare, "-o", tmp_path / "again")
    payload = content_of(run / "package" / "payload")
    assert content_of(tmp_path / "again" / "package" / "payload") == payload
    assert any(name.startswith("predictions/") for name in payload)


def test_reproduce_gives_the_same_bytes(run: Path) -> None:
    """Given all attempts executed again elsewhere, then every output byte is the same."""
    told = answer("replay", run, "--reproduce", "all")
    assert told["ok"] is True, told
    assert float(str(told["cpu_seconds"])) > 0


def test_status_tail_and_show_answer(run: Path) -> None:
    """Given a finished run, then the looking commands find it."""
    assert "package" in amid("status", run).stdout
    assert "the run is over" in amid("tail", run, "--once").stdout
    assert answer("show", run, "1")["schema"]
