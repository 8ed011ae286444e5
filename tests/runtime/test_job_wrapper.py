"""The wrapper by itself: what it loads, and how it does without strace or Landlock."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.ports import Sandbox
from tests.runtime.job_places import LIMITS, Place, execute, living_with, log_of, wrapped

NO_STRACE = "job.strace.program = lambda: None"


@pytest.mark.parametrize(("sandbox", "assurance"), [("landlock", "unrecorded"), ("none", "none")])
def test_without_strace_the_assurance_is_lower(
    tmp_path: Path, sandbox: Sandbox, assurance: str
) -> None:
    place = Place.make(tmp_path)
    secret = str(place.run / "ledger.db")
    code = f"""
try: print(open({secret!r}).read())
except OSError as e: print(e.errno)
open("out/x", "w")
"""
    outcome = wrapped(place.job(code, sandbox=sandbox), NO_STRACE)

    assert (outcome.status, outcome.assurance) == ("finished", assurance)
    assert (outcome.access.recorder, outcome.access.complete) == ("none", False)
    assert outcome.access.record is None
    assert log_of(outcome) == ("13\n" if sandbox == "landlock" else "something\n")


def test_without_strace_the_limits_hold(tmp_path: Path) -> None:
    limits = LIMITS.model_copy(update={"memory_mib": 80})
    code = "import time; x = bytearray(200 << 20); x[::4096] = b'1' * 51200; time.sleep(30)"

    outcome = wrapped(Place.make(tmp_path).job(code, limits=limits), NO_STRACE)

    assert outcome.reason == "memory limit of 80 MiB reached"
    assert living_with(str(tmp_path)) == []


def test_a_confiner_that_cannot_confine_fails_the_job_before_it_begins(tmp_path: Path) -> None:
    spec = Place.make(tmp_path).job("open('out/ran', 'w')")
    break_it = """
was = job._control
def control(given):
    del given.launch["reads"]
    return was(given)
job._control = control
"""
    outcome = wrapped(spec, break_it)

    assert outcome.status == "failed"
    assert outcome.reason == "the sandbox could not be set up: KeyError: 'reads'"
    assert outcome.assurance == "none"
    assert not (spec.folder / "out" / "ran").exists()


def test_an_old_landlock_lowers_the_assurance(tmp_path: Path) -> None:
    outcome = wrapped(Place.make(tmp_path).job("pass"), "job.landlock.FULL_ABI = 99")

    assert (outcome.status, outcome.assurance) == ("finished", "unrecorded")


def test_the_wrapper_loads_nothing_heavy() -> None:
    script = "import sys, runtime.job; print(sorted({m.partition('.')[0] for m in sys.modules}))"
    told = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    )

    loaded = set(json.loads(told.stdout.replace("'", '"')))
    assert not loaded & {"pydantic", "numpy", "anyio", "ledger", "torch", "SimpleITK", "asyncio"}


def test_our_own_module_runs_confined(tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    argv = ("python", "-I", "-m", "runtime.errors")

    outcome = execute(place.job("", argv=argv))

    assert (outcome.status, outcome.assurance) == ("finished", "confined"), log_of(outcome)
    assert outcome.access.denied == ()
