"""How a job ended: from what was seen of it to a code, a reason for people, and what it left.

Everything read here was written by the job. Whatever it holds, the answer is an ending: an error
met on the way is one too, never an exception.
"""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from runtime.adapters.sandbox import outputs, room

if TYPE_CHECKING:  # the wrapper never loads the ledger
    from ledger.events.codes import JobEnd
    from runtime.adapters.sandbox.watch import Seen

_SIGNALLED: Final = 128
STOPPED_BYTES: Final = 4096
_LIMITS: Final[dict[int, tuple[JobEnd, str]]] = {
    signal.SIGXCPU: ("CPU_LIMIT", "CPU limit of {cpu_s} s reached"),
    signal.SIGXFSZ: ("OUTPUT_LIMIT", "output limit of {output_mib} MiB reached by one file"),
}
"""Signals by which the kernel says that a limit was reached."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a job did not finish (code None: it did), and what it left if it did."""

    code: JobEnd | None = None
    reason: str = ""
    outputs: tuple[dict[str, object], ...] = ()
    stopped_at: int | None = None


def judge(folder: Path, launch: dict[str, Any], seen: Seen, *, unrecorded: str) -> Ending:
    """Return how a job ended.

    Args:
        folder: the job's.
        launch: its `launch.json`.
        seen: what the watch saw.
        unrecorded: why the record is not whole; empty where it is, or where none was wanted.
    """
    ended = _before_its_outputs(launch, seen, unrecorded)
    if ended is not None:
        return ended

    try:
        return _with_outputs(folder, launch)
    except Exception as defect:
        return Ending("DEFECT", f"its outputs cannot be read: {type(defect).__name__}: {defect}")


def _before_its_outputs(launch: dict[str, Any], seen: Seen, unrecorded: str) -> Ending | None:
    if seen.reason:
        return Ending(seen.code or "DEFECT", seen.reason)

    if seen.confined:
        return Ending("SANDBOX_FAILED", f"the sandbox could not be set up: {seen.confined}")

    if unrecorded:
        return Ending("RECORD_BROKEN", unrecorded)

    return _of_status(launch, seen.status)


def _of_status(launch: dict[str, Any], status: int | None) -> Ending | None:
    if status is None:
        return Ending("NOT_ENDED", "the job's end was not seen")

    code = os.waitstatus_to_exitcode(status)
    if launch["sandbox"] == "bubblewrap" and code > _SIGNALLED:  # it says a signal as a shell does
        code = _SIGNALLED - code

    if code >= 0:
        return Ending("EXIT", f"exit {code}") if code else None

    return _of_signal(launch, -code)


def _of_signal(launch: dict[str, Any], number: int) -> Ending:
    if number in _LIMITS:
        end, says = _LIMITS[number]
        return Ending(end, says.format(**launch["limits"]))

    return Ending("SIGNAL", f"killed by {_signal(number)}")


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _with_outputs(folder: Path, launch: dict[str, Any]) -> Ending:
    over = room.taken(folder).over(launch["limits"]["output_mib"])
    if over:
        return Ending("OUTPUT_LIMIT", over)

    try:
        taken = tuple(outputs.take(folder / "out"))
    except outputs.OutputRefused as refused:
        return Ending("OUTPUT_REFUSED", f"output refused: {refused}")

    told = folder / "out" / "stopped.json"
    if not launch.get("checkpoints") or not told.is_file():
        return Ending(outputs=taken)

    stopped = checkpoint(told)
    if stopped is None:
        says = 'out/stopped.json must hold {"stopped_at": K}, K the number of a checkpoint'
        return Ending("CHECKPOINT_WRONG", says)

    return Ending(outputs=taken, stopped_at=stopped)


def checkpoint(told: Path) -> int | None:
    """Return the checkpoint a job says it ended at; None where what it says is no use."""
    with told.open("rb") as source:
        text = source.read(STOPPED_BYTES)

    try:
        held = json.loads(text)
    except (ValueError, RecursionError):  # not JSON; brackets in brackets in brackets
        return None

    stopped = held.get("stopped_at") if isinstance(held, dict) else None
    if not isinstance(stopped, int) or isinstance(stopped, bool):
        return None

    return stopped if 0 < stopped < 2**31 else None


__all__ = ["Ending", "checkpoint", "judge"]
