"""Every limit ends the job, says which one it was, and leaves nothing running."""

import time
from pathlib import Path

import pytest

from runtime.ports import Sandbox
from tests.runtime.job_places import Place, living_with, log_of, ran

pytestmark = pytest.mark.usefixtures("each_kind")


def test_wall(tmp_path: Path) -> None:
    outcome = ran(
        Place.make(tmp_path), "import time; print('up', flush=True); time.sleep(60)", wall_s=1
    )

    assert (outcome.status, outcome.reason) == ("failed", "wall limit of 1 s reached")
    assert 900 < outcome.wall_ms < 6000
    assert log_of(outcome) == "up\n"
    assert outcome.access.complete


def test_cpu(tmp_path: Path) -> None:
    outcome = ran(Place.make(tmp_path), "while True: pass", cpu_s=1)

    assert outcome.reason in ("CPU limit of 1 s reached", "killed by SIGXCPU")


@pytest.mark.parametrize("sandbox", ["landlock", "none"])
def test_fork_bomb(tmp_path: Path, sandbox: Sandbox) -> None:
    code = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"

    outcome = ran(Place.make(tmp_path), code, sandbox, processes=20, wall_s=10)

    assert outcome.reason == "process limit of 20 reached"
    assert living_with(str(tmp_path)) == []


def test_memory_of_one_process(tmp_path: Path) -> None:
    code = "x = []\nwhile True: x.append(bytearray(1 << 24))"

    outcome = ran(Place.make(tmp_path), code, memory_mib=100)

    assert outcome.reason == "memory limit of 100 MiB reached" or "MemoryError" in log_of(outcome)
    assert outcome.max_rss_kib < 900 * 1024


def test_memory_of_several_processes(tmp_path: Path) -> None:
    code = """
import os, time
for _ in range(4):
    if os.fork() == 0: break
x = bytearray(40 << 20); time.sleep(30)
"""
    outcome = ran(Place.make(tmp_path), code, memory_mib=100)

    assert outcome.reason == "memory limit of 100 MiB reached"


def test_shared_pages_count_once(tmp_path: Path) -> None:
    code = """
import os, time
x = bytearray(40 << 20)
for i in range(0, len(x), 4096): x[i] = 1
for _ in range(4):
    if os.fork() == 0: break
time.sleep(0.5)
"""
    outcome = ran(Place.make(tmp_path), code, memory_mib=100)

    assert outcome.status == "finished", outcome.reason


def test_output_of_many_files(tmp_path: Path) -> None:
    code = """
import time
for i in range(100):
    open(f"out/{i}", "wb").write(bytes(1 << 20))
time.sleep(30)
"""
    outcome = ran(Place.make(tmp_path), code, output_mib=4)

    assert outcome.reason == "output limit of 4 MiB reached"


def test_output_of_one_file(tmp_path: Path) -> None:
    outcome = ran(Place.make(tmp_path), "open('out/x', 'wb').truncate(1 << 40)", output_mib=4)

    assert outcome.status == "failed"
    assert outcome.reason in ("exit 1", "killed by SIGXFSZ")


def test_output_that_no_folder_names(tmp_path: Path) -> None:
    code = """
import os, time
held = []
for i in range(16):
    held.append(open("tmp/x", "wb"))
    os.unlink("tmp/x")
    held[-1].write(bytes(1 << 20))
    held[-1].flush()
time.sleep(30)
"""
    outcome = ran(Place.make(tmp_path), code, output_mib=4)

    assert outcome.reason == "output limit of 4 MiB reached"


def test_a_flood_of_words_is_cut_to_its_last_64_kib(tmp_path: Path) -> None:
    code = "for i in range(200000): print(f'line {i}')"

    outcome = ran(Place.make(tmp_path), code)

    assert outcome.status == "finished"
    said = log_of(outcome)
    assert len(said) == 64 * 1024
    assert said.endswith("line 199999\n")


def test_the_clock_of_the_wall_limit_does_not_wait_for_a_blocked_connect(tmp_path: Path) -> None:
    code = """
import socket
s = socket.socket(socket.AF_UNIX); s.bind("tmp/s"); s.listen(0)
held = []
for _ in range(8):
    c = socket.socket(socket.AF_UNIX); c.connect("tmp/s"); held.append(c)
"""
    began = time.monotonic()
    outcome = ran(Place.make(tmp_path), code, wall_s=1)

    assert outcome.reason == "wall limit of 1 s reached"
    assert time.monotonic() - began < 5
