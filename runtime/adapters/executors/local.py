"""Runs jobs on this machine, each in its own wrapper process, never on more cores than told."""

import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import anyio
from anyio.abc import Process

from runtime.adapters.executors.result import lost, read_result, write_order
from runtime.adapters.sandbox import probe, processes, room
from runtime.errors import ExecutorFailed
from runtime.ports import JobOutcome, JobSpec

_PROTECTED = ("vault", "data", "blobs", "run")
_MADE_AFRESH = ("out", "log", "tmp", "ask")
_PATIENCE_S = 3.0


class LocalExecutor:
    """Runs sealed jobs with at most `cores` threads in all."""

    def __init__(self, cores: int) -> None:
        if cores < 1:
            raise ValueError(f"cores is {cores}: give at least 1")

        self._cores = cores
        self._free = cores
        self._freed = anyio.Condition()

    async def run(self, spec: JobSpec) -> JobOutcome:
        """Run the job to its end, or adopt the result that is already in its folder.

        Raises:
            SandboxUnavailable: this machine cannot give the sandbox asked for.
            ExecutorFailed: leftovers of an earlier hand-out cannot be ended.
        """
        known = read_result(spec.folder)
        if known is not None and (known.key, known.epoch) == (spec.key, spec.epoch):
            return known

        protected = tuple(str(spec.roots[n]) for n in _PROTECTED if n in spec.roots)
        probe.require(spec.sandbox, protected, tuple(str(path) for path in spec.reads))
        await anyio.to_thread.run_sync(self.recover, spec.folder)
        wanted = min(spec.threads, self._cores)
        await self._take(wanted)
        try:
            await anyio.to_thread.run_sync(_prepare, spec)
            outcome = await _supervise(spec)
            if outcome.status == "lost":
                await anyio.to_thread.run_sync(_clear, spec.folder)

            return outcome
        finally:
            with anyio.CancelScope(shield=True):
                await self._give(wanted)

    def recover(self, folder: Path) -> Literal["finished", "gone"]:
        """After a crash: `finished` when `result.json` is whole; else end leftovers, `gone`.

        Raises:
            ExecutorFailed: a leftover process does not end.
        """
        claims = _claims(folder)
        latest = max((epoch for epoch, _ in claims), default=None)
        known = read_result(folder)
        if known is not None and latest in (None, known.epoch):
            return "finished"

        for _, claim in claims:
            if claim.boot != processes.boot_id():
                continue

            if not processes.end_session(claim.pid, claim.start):
                raise ExecutorFailed(
                    "a process of an earlier hand-out does not end",
                    where=folder,
                    why="two hand-outs of one job would write into one folder",
                    hint=f"end the processes of session {claim.pid} by hand",
                )

        return "gone"

    async def _take(self, wanted: int) -> None:
        async with self._freed:
            while self._free < wanted:
                await self._freed.wait()

            self._free -= wanted

    async def _give(self, taken: int) -> None:
        async with self._freed:
            self._free += taken
            self._freed.notify_all()


def _prepare(spec: JobSpec) -> None:
    """Clear what an earlier hand-out left and write the order."""
    for stale in (*spec.folder.glob("claim.*"), *spec.folder.glob(".*.part")):
        stale.unlink(missing_ok=True)

    for name in ("result.json", "beat"):
        (spec.folder / name).unlink(missing_ok=True)

    for name in _MADE_AFRESH:
        room.clear(spec.folder / name)
        (spec.folder / name).mkdir(parents=True, exist_ok=True)

    (spec.folder / "in").mkdir(exist_ok=True)
    write_order(spec, private=probe.private_mounts())


def _clear(folder: Path) -> None:
    """Give back what a job took that nobody can say anything about."""
    for name in room.MOST_FILES:
        room.clear(folder / name)


async def _supervise(spec: JobSpec) -> JobOutcome:
    """Start the wrapper and wait for it.

    Its standard input is a pipe nobody writes to: when this process dies, by whatever signal,
    the wrapper reads its end and ends the job. Unlike PR_SET_PDEATHSIG this has no gap after
    the fork and does not depend on which thread forked.
    """
    words = [sys.executable, "-I", "-m", "runtime.job", str(spec.folder)]
    wrapper = await anyio.open_process(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        start_new_session=True,
    )
    leader = processes.look(wrapper.pid)
    try:
        said = await _hear(wrapper)
        code = await wrapper.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(wrapper, leader.start if leader is not None else 0)

    outcome = read_result(spec.folder)
    if outcome is not None and (outcome.key, outcome.epoch) == (spec.key, spec.epoch):
        return outcome

    last = said.decode(errors="replace").strip().splitlines()[-1:]
    return lost(spec, f"the wrapper ended with {code} and left no result {' '.join(last)}".strip())


async def _hear(wrapper: Process) -> bytes:
    """Read the wrapper's standard error to its end: nothing, unless the wrapper is broken."""
    said = b""
    if wrapper.stderr is not None:
        async for block in wrapper.stderr:
            said = (said + block)[-4096:]

    return said


async def _end(wrapper: Process, start: int) -> None:
    """End the wrapper and with it every process of its job, then let go of its pipes."""
    if wrapper.returncode is None:
        with suppress(ProcessLookupError):
            wrapper.terminate()

        with anyio.move_on_after(_PATIENCE_S):
            await wrapper.wait()

    if wrapper.returncode is None:
        with suppress(ProcessLookupError):
            wrapper.kill()

    await wrapper.aclose()
    await anyio.to_thread.run_sync(processes.end_session, wrapper.pid, start)


@dataclass(frozen=True, slots=True)
class _Claim:
    """The wrapper process that once held a folder; its pid is the session of all its processes."""

    pid: int
    start: int
    boot: str


def _claims(folder: Path) -> list[tuple[int, _Claim]]:
    """Return the whole claims in a folder with their epochs."""
    found: list[tuple[int, _Claim]] = []
    for path in sorted(folder.glob("claim.*")):
        with suppress(OSError, ValueError, KeyError):
            said = json.loads(path.read_bytes())
            claim = _Claim(int(said["pid"]), int(said["start"]), str(said["boot"]))
            found.append((int(path.suffix[1:]), claim))

    return found


__all__ = ["LocalExecutor"]
