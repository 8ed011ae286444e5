"""Cores, claims, cancellation and death of the local executor."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest

from runtime.adapters.executors.local import LocalExecutor
from runtime.adapters.executors.result import write_order
from runtime.adapters.sandbox import bubblewrap, landlock, probe, processes
from runtime.errors import SandboxUnavailable
from runtime.ports import JobSpec
from tests.runtime.job_places import SHUT_IN, Place, appearance, execute, living_with

SLEEPS = "import time; open('out/started', 'w'); time.sleep(300)"


def wait_until_gone(marker: str, seconds: float) -> list[int]:
    deadline = time.monotonic() + seconds
    while (left := living_with(marker)) and time.monotonic() < deadline:
        time.sleep(0.02)

    return left


def test_jobs_never_use_more_than_the_cores(tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    code = """
import time
open(f"out/began-{time.time_ns()}", "w"); time.sleep(0.1)
open(f"out/ended-{time.time_ns()}", "w")
"""
    specs = [place.job(code, f"j{n}", threads=1 + n % 3, sandbox="trusted") for n in range(6)]

    async def go() -> None:
        executor = LocalExecutor(2)
        async with anyio.create_task_group() as group:
            for spec in specs:
                group.start_soon(executor.run, spec)

    anyio.run(go)
    steps: list[tuple[int, int]] = []
    for spec in specs:
        for path in (spec.folder / "out").iterdir():
            word, _, moment = path.name.partition("-")
            threads = min(spec.threads, 2)
            steps.append((int(moment), threads if word == "began" else -threads))

    busy = [sum(change for _, change in sorted(steps)[: n + 1]) for n in range(len(steps))]
    assert len(steps) == 12
    assert max(busy) <= 2


def test_cancelling_ends_every_process(tmp_path: Path) -> None:
    spec = Place.make(tmp_path).job(SLEEPS)

    async def go() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(LocalExecutor(2).run, spec)
            await appearance(spec.folder / "out" / "started")
            group.cancel_scope.cancel()

    anyio.run(go)
    assert living_with(str(spec.folder)) == []
    assert not (spec.folder / "result.json").exists()
    assert LocalExecutor(2).recover(spec.folder) == "gone"


MAIN = """
import sys, anyio
sys.path.insert(0, {root!r})
from pathlib import Path
from tests.runtime.job_places import Place
from runtime.adapters.executors.local import LocalExecutor
place = Place(Path({run!r}), Path({data!r}))
anyio.run(LocalExecutor(2).run, place.job({code!r}, {name!r}, sandbox={sandbox!r}))
"""


@pytest.mark.parametrize("sandbox", [*SHUT_IN, "none", "trusted"])
def test_killing_the_main_process_leaves_nothing_alive(tmp_path: Path, sandbox: str) -> None:
    place = Place.make(tmp_path)
    mark = f"left-of-{tmp_path}"
    code = f"""
import os, sys, time
if os.fork() == 0:
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-S", "-c", "while True: pass", {mark!r}])
    os._exit(0)
time.sleep(0.2); open("out/started", "w"); time.sleep(300)
"""
    root = str(Path(__file__).parents[2])
    script = MAIN.format(
        root=root, run=str(place.run), data=str(place.data), code=code, name="j", sandbox=sandbox
    )
    folder = place.run / "jobs" / "j"
    with subprocess.Popen([sys.executable, "-I", "-c", script]) as main:
        while not (folder / "out" / "started").exists():
            assert main.poll() is None
            time.sleep(0.02)

        assert living_with(mark)
        main.send_signal(signal.SIGKILL)

    assert wait_until_gone(mark, 2) == []
    assert wait_until_gone(str(folder), 2) == []
    assert not (folder / "result.json").exists()
    assert LocalExecutor(2).recover(folder) == "gone"


def leftover(spec: JobSpec) -> subprocess.Popen[bytes]:
    """Start a wrapper that no executor waits for, as after a crash in the middle."""
    for name in ("out", "log", "tmp"):
        (spec.folder / name).mkdir(parents=True)

    write_order(spec)
    words = [sys.executable, "-I", "-m", "runtime.job", str(spec.folder)]
    wrapper = subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True)
    while not (spec.folder / "out" / "started").exists():
        time.sleep(0.02)

    return wrapper


def test_recover_ends_a_leftover(tmp_path: Path) -> None:
    spec = Place.make(tmp_path).job(SLEEPS)
    with leftover(spec) as wrapper:
        found = LocalExecutor(2).recover(spec.folder)

        assert found == "gone"
        assert wrapper.wait(5) == -signal.SIGKILL

    assert processes.of_session(wrapper.pid) == []


def test_running_again_ends_a_leftover_first(tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    with leftover(place.job(SLEEPS)) as wrapper:
        outcome = execute(place.job("open('out/x', 'w')", epoch=2))

        assert wrapper.wait(5) == -signal.SIGKILL

    assert [f.path for f in outcome.outputs] == ["x"]


@pytest.mark.parametrize("wrong", [{"start": 1}, {"boot": "another"}])
def test_recover_leaves_a_stranger_with_the_same_number_alone(
    tmp_path: Path, wrong: dict[str, object]
) -> None:
    folder = Place.make(tmp_path).job("").folder
    with subprocess.Popen(
        [sys.executable, "-I", "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    ) as stranger:
        own = processes.look(stranger.pid)
        assert own is not None
        claim = {"pid": stranger.pid, "start": own.start, "boot": processes.boot_id(), **wrong}
        (folder / "claim.1").write_text(json.dumps(claim))

        assert LocalExecutor(2).recover(folder) == "gone"
        time.sleep(0.1)
        assert stranger.poll() is None
        stranger.kill()


def test_a_claim_newer_than_the_result_is_not_finished(tmp_path: Path) -> None:
    spec = Place.make(tmp_path).job("pass")
    execute(spec)
    (spec.folder / "claim.2").write_text(json.dumps({"pid": 2**22, "start": 1, "boot": ""}))

    assert LocalExecutor(2).recover(spec.folder) == "gone"


def test_without_bubblewrap_it_is_refused_and_never_silently_weaker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "version", lambda: None)
    with pytest.raises(SandboxUnavailable, match="no bubblewrap sandbox"):
        execute(Place.make(tmp_path).job("", sandbox="bubblewrap"))


def test_a_vault_inside_the_interpreter_is_refused(tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    inside = Path(landlock.interpreter()[0]) / "RUN" / "vault"
    spec = place.job("", roots={**place.roots, "vault": inside})

    with pytest.raises(SandboxUnavailable, match="inside a folder that the job must read"):
        execute(spec)


def test_reads_that_hold_the_vault_are_refused(tmp_path: Path) -> None:
    place = Place.make(tmp_path)

    with pytest.raises(SandboxUnavailable, match="inside a folder that the job must read"):
        execute(place.job("", reads=(place.run,)))


def test_what_is_here_is_named() -> None:
    found = probe.available_sandboxes()

    assert found[-1] == "none"
    known = ("landlock", "bubblewrap", "mounts", "strace", "none")
    assert all(name.partition(":")[0] in known for name in found)


def test_without_landlock_the_sandbox_is_refused_and_never_silently_weaker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "available_sandboxes", lambda: ("strace:6.1", "none"))
    with pytest.raises(SandboxUnavailable, match="no Landlock"):
        execute(Place.make(tmp_path).job(""))


def test_the_claim_names_the_wrapper(tmp_path: Path) -> None:
    spec = Place.make(tmp_path).job("pass", epoch=3)
    execute(spec)
    claim = json.loads((spec.folder / "claim.3").read_bytes())

    assert claim["boot"] == processes.boot_id()
    assert claim["pid"] != os.getpid()
