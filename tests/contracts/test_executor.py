"""What every executor promises, whatever it runs jobs on."""

import json
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from runtime.adapters.executors.local import LocalExecutor
from runtime.adapters.executors.simulated import Played, SimulatedExecutor
from runtime.ports import Executor, JobOutcome, JobSpec
from tests.runtime.job_places import Place

WRITES = "import os; open('out/a', 'w').write('A'); os.mkdir('out/b'); open('out/b/c', 'w')"
FAILS = "raise SystemExit(3)"


def played(spec: JobSpec) -> Played:
    """Act what the job's code would do."""
    code = (spec.folder / "in" / "code" / "train.py").read_text()
    return Played(reason="exit 3") if code == FAILS else Played({"a": b"A", "b/c": b""})


@pytest.fixture(params=[lambda: LocalExecutor(2), lambda: SimulatedExecutor(played)])
def executor(request: pytest.FixtureRequest) -> Executor:
    make: Callable[[], Executor] = request.param
    return make()


def run(executor: Executor, spec: JobSpec) -> JobOutcome:
    return anyio.run(executor.run, spec)


def test_a_finished_job_names_its_outputs(executor: Executor, tmp_path: Path) -> None:
    outcome = run(executor, Place.make(tmp_path).job(WRITES))

    assert (outcome.status, outcome.reason) == ("finished", "")
    assert [(f.path, f.bytes) for f in outcome.outputs] == [("a", 1), ("b/c", 0)]


def test_a_failed_job_says_why_and_has_no_outputs(executor: Executor, tmp_path: Path) -> None:
    outcome = run(executor, Place.make(tmp_path).job(FAILS))

    assert (outcome.status, outcome.reason, outcome.outputs) == ("failed", "exit 3", ())


def test_the_second_run_of_a_key_and_epoch_adopts_the_first(
    executor: Executor, tmp_path: Path
) -> None:
    spec = Place.make(tmp_path).job(WRITES)
    first = run(executor, spec)
    written = (spec.folder / "result.json").stat().st_mtime_ns

    assert run(executor, spec) == first
    assert (spec.folder / "result.json").stat().st_mtime_ns == written


def test_a_result_of_another_epoch_is_cleared(executor: Executor, tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    spec = place.job(WRITES)
    run(executor, spec)
    (spec.folder / "out" / "stale").write_text("x")

    second = run(executor, place.job(WRITES, epoch=2))

    assert second.epoch == 2
    assert [f.path for f in second.outputs] == ["a", "b/c"]


def test_a_torn_result_is_none(executor: Executor, tmp_path: Path) -> None:
    spec = Place.make(tmp_path).job(WRITES)
    first = run(executor, spec)
    whole = (spec.folder / "result.json").read_bytes()
    for torn in (b"", whole[: len(whole) // 2], b"[]", b'{"schema": "result/1"}'):
        (spec.folder / "result.json").write_bytes(torn)
        assert executor.recover(spec.folder) == "gone"

    assert run(executor, spec).outputs == first.outputs


def test_recover_tells_finished_from_gone(executor: Executor, tmp_path: Path) -> None:
    spec = Place.make(tmp_path).job(WRITES)

    assert executor.recover(spec.folder) == "gone"
    run(executor, spec)
    assert executor.recover(spec.folder) == "finished"


def test_the_order_the_job_may_read(executor: Executor, tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    secret = {"run": str(place.run)}
    spec = place.job(WRITES, private=secret, subject="a-1", fold="f1", sandbox="trusted")
    run(executor, spec)
    order = json.loads((spec.folder / "job.json").read_bytes())

    assert order["schema"] == "job/1"
    assert (order["kind"], order["subject"], order["fold"]) == ("train", "a-1", "f1")
    assert order["private"] == secret
    hidden = place.job(WRITES, "hidden", private=secret)
    run(executor, hidden)
    assert "private" not in json.loads((hidden.folder / "job.json").read_bytes())
