"""An older ledger in a folder that went further: refused where it shows, and nothing is deleted."""

import shutil
from pathlib import Path

import orjson
import pytest

from amid.run import taking
from amid.run.compose import events
from amid.run.program import source_digest
from ledger.blobs import BlobStore
from projections.run import RunState
from runtime.intents import open_intents
from tests.e2e.runs import amid, answer, content_of, decisions
from tests.ledger.raw import raw

pytestmark = pytest.mark.timeout(300)


def cut(run: Path, until: int) -> None:
    """Put a ledger that ends at an event in the place of the whole one."""
    with raw(run / "ledger.db", guards=False) as connection:
        connection.execute("DELETE FROM events WHERE seq > ?", (until,))


def before(run: Path, kind: str) -> int:
    """Return the number of the event before the last of a type."""
    return max(n for n, event in enumerate(events(run)) if event.type == kind)


def refused(run: Path) -> str:
    """Resume a run that must be refused; return what was told. Every file of it stays."""
    was = content_of(run)
    told = amid("resume", run, ok=(1,)).stderr
    now = content_of(run)
    gone = {name for name in was if name not in now and not name.startswith("ledger.db-")}
    assert not gone
    assert {n for n in was if n.startswith("blobs/")} == {n for n in now if n.startswith("blobs/")}
    return told


def test_it_is_refused_by_the_head_that_was_kept(copy: Path) -> None:
    cut(copy, before(copy, "attempt.executed"))
    assert "has seen event" in refused(copy)
    codes = {p["code"] for p in answer("verify", copy, ok=(1,))["problems"]}  # type: ignore[attr-defined]
    assert "ROLLED_BACK" in codes


def test_it_is_refused_by_the_jobs_that_lie_there(copy: Path) -> None:
    cut(copy, before(copy, "attempt.executed"))
    (copy / "head").unlink()
    assert "jobs that no event asked for" in refused(copy)
    told = answer("verify", copy, ok=(1,))
    assert "ROLLED_BACK" in {p["code"] for p in told["problems"]}  # type: ignore[attr-defined]


def bare(run: Path) -> None:
    """Leave nothing that shows how far the run went, but its blobs."""
    (run / "head").unlink()
    (run / "package.zip").unlink()
    for name in ("jobs", "work", "package", "views"):
        shutil.rmtree(run / name)


def test_it_is_refused_by_blobs_where_nothing_was_under_way(copy: Path) -> None:
    log = events(copy)
    quiet = [
        n
        for n in range(len(log) // 2, len(log) - 20)
        if log[n - 1].type == "job.finished" and not open_intents(RunState.of(log[:n]))
    ]
    cut(copy, quiet[0])
    bare(copy)
    assert "blobs that no event names" in refused(copy)


def test_blobs_of_work_under_way_are_moved_aside_and_the_run_ends_the_same(
    run: Path, copy: Path
) -> None:
    log = events(copy)
    until = next(
        n
        for n in range(len(log) // 2, len(log))
        if log[n - 1].type == "job.requested"
        and open_intents(RunState.of(log[:n]))
        and log[n].type != "job.requested"
    )
    whole = set(BlobStore(copy / "blobs").digests())
    cut(copy, until)
    bare(copy)
    shutil.rmtree(copy / "repo.git")  # and the worktrees start from commits that are not there

    told = amid("resume", copy)
    assert "now lie in" in told.stderr
    aside = {path.name for path in (copy / taking.ASIDE).iterdir()}
    assert aside
    assert whole <= aside | set(BlobStore(copy / "blobs").digests())
    assert decisions(copy) == decisions(run)
    assert answer("verify", copy)["ok"] is True
    assert content_of(copy / "package" / "payload") == content_of(run / "package" / "payload")


def test_the_source_of_the_program_is_recorded_and_a_change_is_told(copy: Path) -> None:
    code = events(copy)[0].code  # type: ignore[attr-defined]
    assert code.source == source_digest()
    listed = orjson.loads(BlobStore(copy / "blobs").read(code.source))
    assert "runtime/loop.py" in listed
