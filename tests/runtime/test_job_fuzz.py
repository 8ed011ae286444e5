"""Random system calls and result files: the wrapper always gives a result and keeps its record."""

import os
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.adapters.sandbox import ending
from runtime.ports import JobOutcome, Sandbox
from tests.runtime.job_places import LIMITS, SHUT_IN, Place, execute, living_with, log_of, record_of

SCRIPT = Path(__file__).with_name("calls_at_random.py.txt").read_text()
ON_X86 = pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86_64")


def fuzzed(place: Place, kind: Sandbox, seed: int, count: int, name: str = "job") -> JobOutcome:
    """Run a job that makes this many calls."""
    limits = LIMITS.model_copy(update={"wall_s": 600, "cpu_s": 600, "output_mib": 64})
    job = place.job(SCRIPT, name, sandbox=kind, limits=limits)
    words = (*job.argv, str(seed), str(count))
    return execute(place.job(SCRIPT, name, sandbox=kind, limits=limits, argv=words))


def check(outcome: JobOutcome, place: Place) -> None:
    """The wrapper lived: there is a result, a whole record, and nothing of the job is left."""
    assert outcome.status in ("finished", "failed"), outcome.reason
    assert outcome.code not in ("DEFECT", "RECORD_BROKEN"), (outcome.reason, log_of(outcome))
    assert outcome.access.complete == (outcome.code != "RECORD_LIMIT")
    assert record_of(outcome)
    assert living_with(str(place.run)) == []


@ON_X86
@pytest.mark.parametrize("kind", SHUT_IN)
def test_a_few_random_calls(tmp_path: Path, kind: Sandbox) -> None:
    """Given 400 calls of a fixed seed, then the job ends as it likes and its wrapper well."""
    place = Place.make(tmp_path)
    outcome = fuzzed(place, kind, seed=11, count=400)

    check(outcome, place)
    assert "alive after 4" in log_of(outcome)


@ON_X86
@pytest.mark.faults
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", SHUT_IN)
def test_ten_thousand_random_calls(tmp_path: Path, kind: Sandbox) -> None:
    place = Place.make(tmp_path)
    ended = [fuzzed(place, kind, seed, 1100, f"job{seed}") for seed in range(10)]

    for outcome in ended:
        check(outcome, place)

    made = [re.findall(r"alive after (\d+) calls", log_of(outcome)) for outcome in ended]
    assert sum(int(count[0]) for count in made if count) >= 10_000


@settings(max_examples=300)
@given(st.binary(max_size=5000))
def test_any_bytes_in_a_checkpoint_file_are_an_answer(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    told = tmp_path_factory.getbasetemp() / "stopped.json"
    told.write_bytes(content)

    stopped = ending.checkpoint(told)

    assert stopped is None or 0 < stopped < 2**31


LEAVINGS = (
    "os.makedirs('out/' + 'd/' * {n}, exist_ok=True)",
    "os.mkfifo('out/p{n}')",
    "open('out/s{n}', 'wb').truncate({n} << 20)",
    "open(b'out/' + bytes([{n} % 256 or 1]) * 9, 'w')",
    "open('out/stopped.json', 'wb').write(b'[' * {n}00)",
    "open('out/stopped.json', 'wb').write(os.urandom({n}))",
    "os.chmod('out', 0o{n})",
    "os.mkdir('out/stopped.json')",
    "open('out/x{n}', 'w'); os.link('out/x{n}', 'out/y{n}')",
    "import socket; socket.socket(socket.AF_UNIX).bind('out/k{n}')",
    "[open(f'out/f{{i}}', 'w').close() for i in range({n})]",
    "os.rmdir('out')",
    "os.rename('out', 'tmp/out')",
)


@pytest.mark.faults
@pytest.mark.timeout(1800)
def test_whatever_is_left_behind_is_an_ending(tmp_path: Path) -> None:
    """Given 100 jobs that leave things at random, then each has a result and none is lost."""
    for seed in range(100):
        dice = random.Random(seed)
        place = Place.make(tmp_path / str(seed))
        acts = [x.format(n=dice.randrange(1, 778)) for x in dice.choices(LEAVINGS, k=4)]
        tries = "".join(f"try: {act}\nexcept OSError: pass\n" for act in acts)
        job = place.job(f"import os\n{tries}", environment={"AMID_STEPS": "9", "TMPDIR": "tmp"})
        outcome = execute(job)

        assert outcome.status in ("finished", "failed"), (acts, outcome.reason)
        assert outcome.code != "DEFECT", (acts, outcome.reason)
        assert outcome.access.complete, acts
