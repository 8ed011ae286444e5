"""How a job ends: what is left of it, what its outputs may be, what its record is worth."""

import json
import os
import signal
import time
from pathlib import Path

import anyio
import pytest
from blake3 import blake3

from runtime.adapters.executors.local import LocalExecutor
from runtime.adapters.sandbox import processes
from runtime.ports import JobOutcome, JobSpec, Sandbox
from tests.runtime.job_places import SHUT_IN, Place, appearance, execute, living_with, log_of, ran


def test_outputs_are_hashed_and_sorted(tmp_path: Path) -> None:
    code = """
import os
os.makedirs("out/b/c")
for name in ("z.txt", "b/c/y", "a"):
    open("out/" + name, "w").write(name)
"""
    outcome = ran(Place.make(tmp_path), code)

    assert [f.path for f in outcome.outputs] == ["a", "b/c/y", "z.txt"]
    assert [f.digest for f in outcome.outputs] == [
        blake3(f.path.encode()).hexdigest() for f in outcome.outputs
    ]
    assert [f.bytes for f in outcome.outputs] == [1, 5, 5]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("os.mkfifo('out/x')", "out/x is a pipe"),
        ("open('out/x','w'); os.link('out/x', 'out/y')", "hard link"),
        ("open('out/x\\n','w')", "control character"),
        ("open(b'out/\\xff','w')", "not UTF-8"),
        ("[(os.mkdir('d'), os.chdir('d')) for _ in range(40)]", "folders deep"),
    ],
)
def test_strange_outputs_are_refused(tmp_path: Path, code: str, says: str) -> None:
    start = "os.chdir('out')\n" if "mkdir" in code else ""

    outcome = ran(Place.make(tmp_path), f"import os\n{start}{code}")

    assert outcome.status == "failed"
    assert outcome.reason.startswith("output refused: ")
    assert says in outcome.reason
    assert outcome.outputs == ()


@pytest.mark.parametrize("to", ["/etc/passwd", "../in"])
def test_a_link_is_no_output(tmp_path: Path, to: str) -> None:
    outcome = ran(Place.make(tmp_path), f"import os; os.symlink({to!r}, 'out/x')", "none")

    assert (outcome.code, outcome.outputs) == ("OUTPUT_REFUSED", ())
    assert "out/x is a symbolic link" in outcome.reason


DAEMON = """
import os, sys, time
if os.fork() == 0:
    try: os.setsid()
    except OSError: pass
    if os.fork() == 0:
        sleep = "import time; time.sleep(300)"
        os.execv(sys.executable, [sys.executable, "-S", "-c", sleep, {mark!r}])
    os._exit(0)
time.sleep(0.3)
print("main ends")
"""


@pytest.mark.parametrize("sandbox", [*SHUT_IN, "none", "trusted"])
def test_a_daemon_ends_with_its_job(tmp_path: Path, sandbox: Sandbox) -> None:
    mark = f"daemon-of-{tmp_path}"

    outcome = ran(Place.make(tmp_path), DAEMON.format(mark=mark), sandbox)

    assert outcome.status == "finished", (outcome.reason, log_of(outcome))
    assert outcome.wall_ms < 5000
    assert living_with(mark) == []


def test_exit_codes_and_signals_are_told(tmp_path: Path) -> None:
    place = Place.make(tmp_path)

    assert ran(place, "raise SystemExit(7)").reason == "exit 7"
    assert execute(place.job("import os; os.abort()", epoch=2)).reason == "killed by SIGABRT"
    suicide = "import os; os.kill(os.getpid(), 9)"
    assert execute(place.job(suicide, epoch=3)).reason == "killed by SIGKILL"


async def _with_victim(spec: JobSpec, word: str, number: int) -> JobOutcome:
    """Run a job and send a signal to the first process of it whose command holds a word."""
    outcomes: list[JobOutcome] = []

    async def go() -> None:
        outcomes.append(await LocalExecutor(2).run(spec))

    async with anyio.create_task_group() as group:
        group.start_soon(go)
        await appearance(spec.folder / "out" / "started")
        os.kill(_victim(spec, word), number)

    return outcomes[0]


def _victim(spec: JobSpec, word: str) -> int:
    claim = json.loads((spec.folder / f"claim.{spec.epoch}").read_bytes())
    if word == "wrapper":
        return int(claim["pid"])

    (recorder,) = [p.pid for p in processes.of_session(claim["pid"]) if p.parent == claim["pid"]]
    return recorder


BUSY = """
import os, time
open("out/started", "w")
if os.fork() == 0:
    while True: pass
end = time.time() + 8
while time.time() < end: pass
open("out/free", "w")
"""


def test_killing_the_recorder_ends_the_job_and_fails_it(tmp_path: Path) -> None:
    spec = Place.make(tmp_path).job(BUSY)

    outcome = anyio.run(_with_victim, spec, "recorder", signal.SIGKILL)

    assert outcome.status == "failed"
    assert outcome.reason == "the recorder ended before the job: what it did is not known"
    assert (outcome.assurance, outcome.access.complete) == ("unrecorded", False)
    assert not (spec.folder / "out" / "free").exists()
    assert living_with(str(tmp_path)) == []


def test_killing_the_wrapper_ends_the_job_and_loses_it(tmp_path: Path) -> None:
    spec = Place.make(tmp_path).job(BUSY)

    outcome = anyio.run(_with_victim, spec, "wrapper", signal.SIGKILL)

    assert outcome.status == "lost"
    assert "the wrapper ended with -9" in outcome.reason
    deadline = time.monotonic() + 2
    while living_with(str(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.02)

    assert living_with(str(tmp_path)) == []


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    outcome = execute(Place.make(tmp_path).job("", argv=("/nowhere/tool",)))

    assert (outcome.status, outcome.reason) == ("failed", "exit 127")
    assert "cannot start /nowhere/tool" in log_of(outcome)


def test_the_environment_is_the_given_one_and_nothing_else(tmp_path: Path) -> None:
    spec = Place.make(tmp_path).job(
        "import os; print(sorted(os.environ.items())); print(os.getcwd())",
        environment={"AMID_OUT": "out"},
    )

    said = log_of(execute(spec)).splitlines()

    assert "AMID_OUT" in said[0]
    assert "PATH" not in said[0].replace("AMID", "")
    assert said[1] == str(spec.folder)


def test_the_result_is_written_last_and_whole(tmp_path: Path) -> None:
    outcome = ran(Place.make(tmp_path), "pass")

    folder = tmp_path / "RUN/jobs/job"
    found = json.loads((folder / "result.json").read_bytes())
    assert found["schema"] == "result/1"
    assert found["access"]["recorder"] == "strace"
    assert sorted(p.name for p in (folder / "log").iterdir()) == ["access.jsonl", "job.log"]
    newest = max(folder.iterdir(), key=lambda p: p.stat().st_mtime_ns)
    assert newest.name == "result.json"
    assert outcome.status == "finished"
