"""Recorded jobs are executed again elsewhere, and every byte they leave is compared."""

import functools
import json
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from replay.reproduce import Answer, compare, patience_s, reproduce
from runtime.errors import Needed, RunExists
from runtime.ports import JobOutcome, JobSpec, OutputFile
from tests.amid.package.sample_facts import split
from tests.amid.package.sample_jobs import PlainExecutor, lay_out_view
from tests.amid.package.sample_run import FINAL, MEMBERS
from tests.replay.test_rebuild import history_of


def again(
    run: Path,
    work: Path,
    *attempts: str,
    seed: int | None = None,
    executor: PlainExecutor | None = None,
    data: Path | None = None,
    at_once: int = 1,
) -> Answer:
    """Reproduce attempts of a run; all where none is named."""
    call = functools.partial(
        reproduce,
        run,
        attempts or "all",
        executor=executor or PlainExecutor(),
        lay_out=functools.partial(lay_out_view, data or run.parent / "data", split()),
        work=work,
        seed=seed,
        at_once=at_once,
    )
    return anyio.run(call)


def test_everything_is_the_same_again(made: Path, bare: Path, tmp_path: Path) -> None:
    """From ledger, blobs and data, in another folder with no job of the run in it."""
    executor = PlainExecutor()
    answer = again(bare, tmp_path / "w", executor=executor, data=made.parent / "data", at_once=2)
    wanted = [j for j in history_of(made).jobs.values() if j.request.kind in ("train", "predict")]

    assert (answer.problems, answer.differences) == ((), ())
    assert answer.ok
    assert executor.runs == len(answer.jobs) == len(wanted)
    assert answer.cpu_ms > 0
    assert all(job.identical and job.recorded_class == "bitwise" for job in answer.jobs)


def test_an_average_brings_its_members(made: Path, tmp_path: Path) -> None:
    """The jobs whose outputs it reads are executed too; others are not."""
    answer = again(made, tmp_path / "w", FINAL)
    named = {job.job.split()[1] for job in answer.jobs}
    assert answer.ok
    assert named == {FINAL, *MEMBERS}


def test_another_seed_shows_in_what_uses_it(made: Path, tmp_path: Path) -> None:
    """The control: differences are seen, file by file, and only where the seed goes in."""
    answer = again(made, tmp_path / "w", MEMBERS[0], seed=12)
    assert not answer.ok
    assert [(row.job, row.path, row.what) for row in answer.differences] == [
        (f"train {MEMBERS[0]} f1", "model.json", "differs"),
        (f"train {MEMBERS[0]} f2", "model.json", "differs"),
    ]
    assert answer.to_json()["seed"] == 12
    assert "2 files came out otherwise" in answer.note


def test_a_seed_that_nothing_reads_is_said(made: Path, tmp_path: Path) -> None:
    """Equal bytes under another seed prove less than they seem to."""

    class Deaf(PlainExecutor):
        async def run(self, spec: JobSpec) -> JobOutcome:
            spec.environment["AMID_SEED"] = "11"  # type: ignore[index]
            return await super().run(spec)

    answer = again(made, tmp_path / "w", MEMBERS[0], seed=12, executor=Deaf())
    assert answer.ok
    assert "draws nothing from its seed" in answer.note


def test_a_difference_goes_on_into_what_reads_it(made: Path, tmp_path: Path) -> None:
    """A predict job gets the model that was trained anew, not the recorded one."""

    class Off(PlainExecutor):
        async def run(self, spec: JobSpec) -> JobOutcome:
            if spec.kind == "train":
                script = spec.folder / "in/code/train.py"
                script.write_text(script.read_text().replace("/ 2 +", "/ 2 + 90 +"))

            return await super().run(spec)

    answer = again(made, tmp_path / "w", MEMBERS[0], executor=Off())
    changed = {row.job.split()[0] for row in answer.differences}
    assert changed == {"train", "predict"}


def test_a_job_that_fails_is_a_problem(made: Path, tmp_path: Path) -> None:
    """And what reads its outputs is named too, not silently left out."""

    class Broken(PlainExecutor):
        async def run(self, spec: JobSpec) -> JobOutcome:
            if spec.kind == "train":
                (spec.folder / "in/code/train.py").write_text("raise SystemExit(3)")

            return await super().run(spec)

    answer = again(made, tmp_path / "w", MEMBERS[0], executor=Broken())
    assert not answer.ok
    assert len(answer.failures) == 4
    assert answer.failures[0].startswith(f"predict {MEMBERS[0]} f1: cannot be laid out")


def test_a_machine_that_is_too_slow_decides_nothing(made: Path, tmp_path: Path) -> None:
    """Neither the training that took too long nor what reads its model is a difference."""

    class Slow(PlainExecutor):
        async def run(self, spec: JobSpec) -> JobOutcome:
            ended = await super().run(spec)
            late = spec.kind == "train" and spec.fold == "f1"
            return replace(ended, status="failed", code="WALL_LIMIT") if late else ended

    answer = again(made, tmp_path / "w", MEMBERS[0], executor=Slow())
    assert (answer.ok, answer.verdict, answer.problems) == (False, "undecided", ())
    assert [line.split(":")[0] for line in answer.undecided] == [
        f"predict {MEMBERS[0]} f1",
        f"train {MEMBERS[0]} f1",
    ]
    assert len(answer.jobs) == 2


def test_a_difference_outweighs_what_was_too_slow(made: Path, tmp_path: Path) -> None:
    """The answer is no as soon as one file came out otherwise."""

    class SlowAndOff(PlainExecutor):
        async def run(self, spec: JobSpec) -> JobOutcome:
            ended = await super().run(spec)
            late = spec.kind == "train" and spec.fold == "f1"
            return replace(ended, status="failed", code="CPU_LIMIT") if late else ended

    answer = again(made, tmp_path / "w", MEMBERS[0], seed=12, executor=SlowAndOff())
    assert answer.differences
    assert answer.verdict == "no"


def test_every_job_gets_time_and_is_told_the_recorded_limits(made: Path, tmp_path: Path) -> None:
    """How fast the machine is must not show in what a job is told, nor in where it ends."""
    seen: list[JobSpec] = []

    class Watched(PlainExecutor):
        async def run(self, spec: JobSpec) -> JobOutcome:
            seen.append(spec)
            return await super().run(spec)

    again(made, tmp_path / "w", MEMBERS[0], executor=Watched())
    assert seen
    for spec in seen:
        assert spec.patience_s == patience_s(spec.limits) >= 20 * spec.limits.wall_s


def test_the_answer_is_one_json_object(made: Path, tmp_path: Path) -> None:
    """With its schema number and whole counts."""
    answer = json.loads(json.dumps(again(made, tmp_path / "w", MEMBERS[1]).to_json()))
    assert (answer["schema"], answer["ok"], len(answer["jobs"])) == ("reproduce/1", True, 4)
    assert answer["cpu_seconds"] > 0


def test_an_unknown_attempt_is_named(made: Path, tmp_path: Path) -> None:
    """With those that could have been meant."""
    with pytest.raises(Needed, match="a-nobody"):
        again(made, tmp_path / "w", "a-nobody")


def test_a_folder_in_use_is_refused(made: Path, tmp_path: Path) -> None:
    """A job folder found there would be adopted instead of executed."""
    (tmp_path / "w/jobs").mkdir(parents=True)
    with pytest.raises(RunExists):
        again(made, tmp_path / "w", FINAL)


def test_files_are_compared_by_digest() -> None:
    """Same, other, gone and new."""

    def file(path: str, digest: str) -> OutputFile:
        return OutputFile(path=path, digest=digest, bytes=len(path))

    old = [file("same", "1"), file("other", "1"), file("gone", "1")]
    new = [file("same", "1"), file("other", "2"), file("new!", "1")]
    assert [(row.path, row.what) for row in compare("job", old, new)] == [
        ("gone", "missing"),
        ("new!", "added"),
        ("other", "differs"),
    ]
