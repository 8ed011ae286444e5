"""The record is written while the job runs, its cost is the job's own time, and it has an end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from runtime.adapters.executors.local import LocalExecutor
from runtime.adapters.executors.result import write_order
from runtime.adapters.sandbox.reading import Access, Reading
from runtime.adapters.sandbox.walk import Walker
from tests.runtime.job_places import LIMITS, Place, execute, living_with, record_of
from tests.runtime.job_places import wrapped as wrapped_by

LABEL = "vault:labels/c-0001.nii.gz"


def test_an_access_is_in_the_record_while_the_job_runs(tmp_path: Path) -> None:
    """Given a job that looks and then waits, then its look can be read before it ends."""
    place = Place.make(tmp_path)
    code = """
import os, time
os.path.exists("../../vault/labels/c-0001.nii.gz")
while not os.path.exists("ask/stop"): time.sleep(0.01)
"""
    spec = place.job(code, limits=LIMITS.model_copy(update={"wall_s": 60}))
    record = spec.folder / "log/access.jsonl"

    async def go() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(LocalExecutor(1).run, spec)
            with anyio.fail_after(50):
                while not (record.exists() and LABEL in record.read_text()):  # noqa: ASYNC110
                    await anyio.sleep(0.02)

            (spec.folder / "ask/stop").touch()

    anyio.run(go)


def test_the_cost_of_nested_folders_grows_with_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Given 3,000 folders in folders, each entered by name, then hardly a link is looked for."""
    looked: list[str] = []
    was = os.readlink

    def readlink(path: str) -> str:
        looked.append(path)
        return was(path)

    monkeypatch.setattr(os, "readlink", readlink)
    found: list[Access] = []
    reading = Reading("/job", Walker(("/job/tmp",)), found.append)
    lines = ['10    execve("/bin/x", 0x7f, 0x7f) = 0'] * 2 + ['10    chdir("tmp") = 0']
    lines += ['10    mkdir("dd", 0777) = 0', '10    chdir("dd") = 0'] * 3000
    for line in lines:
        reading.feed(f"{line}\n".encode())

    assert found[-1].path == "/job/tmp" + "/dd" * 3000
    assert len(looked) < 20


def test_a_path_without_end_is_cut_and_said_to_be_unknown() -> None:
    """Given a working folder that grows for ever, then its name does not."""
    found: list[Access] = []
    reading = Reading("/job", Walker(("/job/tmp",)), found.append)
    lines = ['10    execve("/bin/x", 0x7f, 0x7f) = 0'] * 2 + ['10    chdir("tmp") = 0']
    lines += [f'10    chdir("{"d" * 250}") = 0'] * 600
    for line in lines:
        reading.feed(f"{line}\n".encode())

    assert found[-1].path == "unknown:too long"


def test_deep_folders_end_the_job_and_not_its_wrapper(tmp_path: Path) -> None:
    """Given a job that goes down without end, then there is a result with the record so far."""
    code = "import os\nos.chdir('tmp')\nwhile True:\n    os.mkdir('d'); os.chdir('d')"
    spec = Place.make(tmp_path).job(code, limits=LIMITS.model_copy(update={"wall_s": 30}))
    outcome = execute(spec)

    assert outcome.status == "failed"
    assert outcome.code in ("OUTPUT_LIMIT", "RECORD_LIMIT", "EXIT", "WALL_LIMIT")
    assert any(line["op"] == "mkdir" for line in record_of(outcome))


def test_a_full_record_ends_the_job_and_says_where_it_stopped(tmp_path: Path) -> None:
    """Given more names than a record takes, then the job ends, its record is kept and not whole."""
    code = """
import os
for number in range(10**9):
    os.path.exists(f"../../vault/{number}")
"""
    spec = Place.make(tmp_path).job(code)
    outcome = wrapped_by(spec, "import runtime.adapters.sandbox.record as r; r.MOST_LINES = 500")

    assert (outcome.status, outcome.code) == ("failed", "RECORD_LIMIT")
    assert (outcome.access.complete, outcome.assurance) == (False, "unrecorded")
    lines = record_of(outcome)
    assert sum(line["op"] == "stat" and "count" not in line for line in lines) <= 500
    assert lines[-1]["op"] == "stopped"
    assert "limit of 500 lines" in str(lines[-1]["result"])


FLOOD = """
import os
while True:
    try: os.open("../../vault/x", os.O_RDONLY)
    except OSError: pass
"""


def test_the_lifeline_is_watched_while_the_record_is_flooded(tmp_path: Path) -> None:
    """Given a flood of refused opens, when the executor is gone, then the wrapper ends all."""
    place = Place.make(tmp_path)
    spec = place.job(FLOOD, limits=LIMITS.model_copy(update={"wall_s": 900, "cpu_s": 900}))
    for name in ("out", "log", "tmp", "ask"):
        (spec.folder / name).mkdir(parents=True, exist_ok=True)

    write_order(spec)
    words = [sys.executable, "-I", "-m", "runtime.job", str(spec.folder)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True) as wrapper:
        record = spec.folder / "log/access.jsonl"
        while wrapper.poll() is None and not (record.exists() and "vault:x" in record.read_text()):
            pass

        assert wrapper.stdin is not None
        wrapper.stdin.close()
        assert wrapper.wait(50) == 130

    assert not (spec.folder / "result.json").exists()
    assert living_with(str(place.run)) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_hundred_thousand_refused_opens_are_recorded_as_they_come(tmp_path: Path) -> None:
    """Given 126,000 refused names, then all stand in the record of a job that ended by itself."""
    code = """
import os
for number in range(126_000):
    try: os.open(f"../../vault/{number}", os.O_RDONLY)
    except OSError: pass
"""
    limits = LIMITS.model_copy(update={"wall_s": 500, "cpu_s": 500})
    outcome = execute(Place.make(tmp_path).job(code, limits=limits))

    assert (outcome.status, outcome.access.complete) == ("finished", True)
    paths = {line["path"] for line in record_of(outcome)}
    assert {f"vault:{number}" for number in range(126_000)} <= paths


def test_every_line_of_a_record_is_one_object(tmp_path: Path) -> None:
    """Given names with quotes, breaks and broken bytes, then each line still reads."""
    code = """
import os
for name in (b'a"b', b"c\\nd", b"\\xff\\xfe", b"\\x1b[31m", b"e) = 3</etc/passwd>"):
    try: os.open(b"../../vault/" + name, os.O_RDONLY)
    except OSError: pass
"""
    outcome = execute(Place.make(tmp_path).job(code))

    assert outcome.access.record is not None
    lines = outcome.access.record.read_text(encoding="utf-8").split("\n")
    named = [json.loads(line)["path"] for line in lines if line]
    assert {'vault:a"b', "vault:c\nd", "vault:e) = 3</etc/passwd>"} <= set(named)
