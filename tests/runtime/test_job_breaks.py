"""What a job does to its wrapper: it may fail for it, and its record so far is kept."""

import json
import os
from pathlib import Path

import pytest

from runtime.ports import JobOutcome
from tests.runtime.job_places import (
    LIMITS,
    Place,
    execute,
    living_with,
    log_of,
    ran,
    refusals_of,
    wrapped,
)

CALL = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *words):
    passed = [ctypes.c_ulong(w) if isinstance(w, int) else w for w in words]
    if libc.syscall(ctypes.c_long(number), *passed) < 0:
        print(number, ctypes.get_errno(), flush=True)
"""
CHMOD, CONNECT, UTIMENSAT = 90, 42, 280
ON_X86 = pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86_64")


@ON_X86
@pytest.mark.parametrize("pointer", [2**63 - 1, 2**63, 2**63 + 4096, 2**64 - 1, 1, 0])
def test_pointers_to_nowhere_are_refused_and_recorded(tmp_path: Path, pointer: int) -> None:
    """Given calls with a pointer at 2^63 or beyond, then each is refused and the job goes on."""
    code = f"{CALL}call({CHMOD}, {pointer}, 0o777)\ncall({CONNECT}, 1, {pointer}, 16)\n"
    outcome = ran(Place.make(tmp_path), f"{code}print('alive')")

    assert outcome.status == "finished", outcome.reason
    assert log_of(outcome).endswith("alive\n")
    assert ("chmod", "?", "EPERM") in refusals_of(outcome)
    assert outcome.assurance == "confined"


@ON_X86
@pytest.mark.parametrize(
    "path", ["/proc/1/root/etc", "/proc/1/cwd/x", "/proc/{ppid}/root/x", "/proc/999999/root/x"]
)
def test_a_path_through_another_process_is_refused(tmp_path: Path, path: str) -> None:
    """Given a path through the root or folder of another process, then the wrapper lives."""
    code = f"""{CALL}
path = {path!r}.format(ppid=os.getppid())
for ask in (lambda: os.chmod(path, 0o777), lambda: os.utime(path), lambda: open(path)):
    try: ask()
    except OSError: pass
print("alive")
"""
    outcome = ran(Place.make(tmp_path), code)

    assert (outcome.status, log_of(outcome)) == ("finished", "alive\n"), outcome.reason
    assert {op for op, _, _ in refusals_of(outcome)} >= {"chmod", "utimensat"}


@pytest.mark.parametrize(
    "text",
    [
        "[" * 4000,
        '{"stopped_at":' * 300,
        "9" * 4000,
        '{"stopped_at": ' + "9" * 3000 + "}",
        "\0" * 9,
    ],
)
def test_a_hostile_checkpoint_fails_the_job_only(tmp_path: Path, text: str) -> None:
    """Given 4,000 brackets in brackets, then the result says what the file must hold."""
    outcome = _with_checkpoint(Place.make(tmp_path), text)

    assert (outcome.status, outcome.code) == ("failed", "CHECKPOINT_WRONG")
    assert outcome.access.complete


def _with_checkpoint(place: Place, text: str) -> JobOutcome:
    environment = {"HOME": "tmp", "TMPDIR": "tmp", "AMID_STEPS": "10"}
    job = place.job(f"open('out/stopped.json', 'w').write({text!r})", environment=environment)
    return execute(job)


def test_a_defect_of_the_answerer_fails_the_job_and_keeps_the_record(tmp_path: Path) -> None:
    """Given a defect while a call is answered, then the job fails at once with its record."""
    spec = Place.make(tmp_path).job("import os; open('in/code/train.py'); os.chmod('out', 0o700)")
    outcome = wrapped(
        spec, "import runtime.adapters.sandbox.notify as n; n.memory.named_path = lambda *_: 1 / 0"
    )

    assert (outcome.status, outcome.code) == ("failed", "RECORD_BROKEN")
    assert "ZeroDivisionError" in outcome.reason
    assert outcome.access.record is not None
    assert "in:code/train.py" in outcome.access.record.read_text(encoding="utf-8")


def test_a_defect_of_the_record_fails_the_job_and_lowers_the_assurance(tmp_path: Path) -> None:
    """Given a recorder that breaks, then there is a result, and it claims nothing."""
    outcome = wrapped(Place.make(tmp_path).job("pass"), "job.Recorder.close = lambda *_: 1 / 0")

    assert (outcome.status, outcome.code) == ("failed", "RECORD_BROKEN")
    assert outcome.assurance == "unrecorded"
    assert not outcome.access.complete


def test_a_record_that_broke_at_its_end_is_kept_so_far(tmp_path: Path) -> None:
    """Given a recorder that breaks when it is closed, then whole lines of it are kept."""
    spec = Place.make(tmp_path).job("open('in/code/train.py')")
    outcome = wrapped(spec, "job.Recorder._take = lambda *_: None\n" + BREAKING)

    assert (outcome.status, outcome.code) == ("failed", "RECORD_BROKEN")
    assert outcome.access.record is not None
    assert all(json.loads(line) for line in outcome.access.record.read_text().splitlines())


BREAKING = """
was = job.Recorder.close
def close(recorder, refused):
    recorder._book._sink.write('{"pid": 1}\\n{"pid')
    raise RuntimeError("at the end")
job.Recorder.close = close
"""


@pytest.mark.parametrize("broken", ["judge", "Recorder", "_recorded", "Watch"])
def test_a_defect_of_the_wrapper_itself_is_a_result(tmp_path: Path, broken: str) -> None:
    """Given any part of it that breaks, then the job has failed, is not lost, and nothing runs."""
    spec = Place.make(tmp_path).job("import time; print('begun', flush=True); time.sleep(0.3)")
    outcome = wrapped(spec, f"job.{broken} = lambda *_, **__: 1 / 0")

    assert (outcome.status, outcome.code, outcome.assurance) == ("failed", "DEFECT", "none")
    assert "ZeroDivisionError" in outcome.reason
    assert living_with(str(tmp_path)) == []


def test_a_defect_of_the_watch_ends_the_job(tmp_path: Path) -> None:
    """Given a watch that breaks, then the job is ended, not left to itself."""
    spec = Place.make(tmp_path).job("import time; time.sleep(60)")
    outcome = wrapped(spec, "job.Watch._check = lambda _: 1 / 0")

    assert (outcome.status, outcome.code) == ("failed", "DEFECT")


def test_a_signal_of_a_limit_is_that_limit(tmp_path: Path) -> None:
    """Given SIGXFSZ, then the code is the limit's; given SIGKILL, the signal's."""
    place = Place.make(tmp_path)
    big = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL); f = open('out/x', 'w')\n"
    limits = LIMITS.model_copy(update={"output_mib": 1})
    grown = execute(place.job(f"{big}f.truncate(2 << 20)", name="a", limits=limits))
    killed = execute(place.job("import os; os.kill(os.getpid(), 9)", name="b"))

    assert (grown.code, killed.code) == ("OUTPUT_LIMIT", "SIGNAL")
