"""Plays jobs instead of running them: for tests of everything above the executor."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import anyio

from ledger.events.codes import JobEnd
from ledger.events.job import Assurance
from runtime.adapters.executors.result import RESULT_SCHEMA, read_result, write_order
from runtime.adapters.sandbox import outputs
from runtime.errors import ExecutorFailed
from runtime.ports import JobOutcome, JobSpec, Refusal


@dataclass(frozen=True, slots=True)
class Played:
    """What a job is to have done."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    """Path under `out/`: content."""
    reason: str = ""
    """Why it failed; empty: it finished."""
    code: JobEnd = "EXIT"
    """The code of a failure."""
    stopped_at: int | None = None
    denied: tuple[Refusal, ...] = ()
    assurance: Assurance = "confined"


class SimulatedExecutor:
    """Asks `play` what each job does, and writes what the wrapper would have written."""

    def __init__(self, play: Callable[[JobSpec], Played]) -> None:
        self._play = play
        self.played: list[tuple[str, int]] = []
        """Key and epoch of every job that was really played, in order."""

    async def run(self, spec: JobSpec) -> JobOutcome:
        """Play the job, or adopt the result that is already in its folder."""
        known = read_result(spec.folder)
        if known is not None and (known.key, known.epoch) == (spec.key, spec.epoch):
            return known

        await anyio.lowlevel.checkpoint()
        self.played.append((spec.key, spec.epoch))
        _lay_out(spec)
        _write(spec, self._play(spec))
        outcome = read_result(spec.folder)
        if outcome is None:
            raise ExecutorFailed("the simulated result cannot be read", where=spec.folder)

        return outcome

    def recover(self, folder: Path) -> Literal["finished", "gone"]:
        """Return `finished` when `result.json` is whole; nothing else can be left over."""
        return "gone" if read_result(folder) is None else "finished"


def _lay_out(spec: JobSpec) -> None:
    (spec.folder / "result.json").unlink(missing_ok=True)
    for name in ("out", "log", "tmp"):
        shutil.rmtree(spec.folder / name, ignore_errors=True)
        (spec.folder / name).mkdir(parents=True)

    write_order(spec)


def _write(spec: JobSpec, played: Played) -> None:
    for path, content in played.files.items():
        place = spec.folder / "out" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    (spec.folder / "log" / "job.log").write_bytes(b"")
    denied = [{"op": d.op, "path": d.path, "result": d.result} for d in played.denied]
    lines = [{"pid": 1, "ppid": 0, **d, "dev": None, "ino": None} for d in denied]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (spec.folder / "log" / "access.jsonl").write_text(text, encoding="utf-8")
    result = {
        "schema": RESULT_SCHEMA,
        "key": spec.key,
        "epoch": spec.epoch,
        "status": "failed" if played.reason else "finished",
        "reason": played.reason,
        "code": played.code if played.reason else None,
        "exit": 1 if played.reason else 0,
        "stopped_at": played.stopped_at,
        "outputs": [] if played.reason else outputs.take(spec.folder / "out"),
        "resources": {"wall_ms": 1, "cpu_ms": 1, "max_rss_kib": 1},
        "assurance": played.assurance,
        "access": {
            "record": "log/access.jsonl",
            "opened": 0,
            "denied": denied,
            "denied_total": len(denied),
            "recorder": "strace",
            "complete": True,
        },
        "log": "log/job.log",
    }
    (spec.folder / "result.json").write_text(json.dumps(result), encoding="utf-8")


__all__ = ["Played", "SimulatedExecutor"]
