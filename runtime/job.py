"""The wrapper of one job: `python -I -m runtime.job FOLDER`.

Reads `launch.json`, claims the folder, starts the job under recorder and sandbox, watches it,
ends whatever it left running, hashes `out/` and writes `result.json` last. Standard library and
blake3 only: it starts once for every job.
"""

import json
import marshal
import os
import resource
import signal
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from blake3 import blake3

from runtime import confine
from runtime.adapters.sandbox import bubblewrap, kernel, landlock, processes, room, strace
from runtime.adapters.sandbox.ending import Ending, judge
from runtime.adapters.sandbox.recorder import NOTHING, Recorder
from runtime.adapters.sandbox.watch import LOG_KEPT, Bounds, Seen, Watch

SCHEMA: Final = "result/1"
_ABANDONED: Final = 130
_PATIENCE_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Job:
    """A job's folder and how it is to be launched."""

    folder: Path
    launch: dict[str, Any]
    recorder: str | None
    """Where strace is; None for trusted jobs and where there is none."""

    @property
    def sandbox(self) -> str:
        """Return the kind of sandbox asked for."""
        return str(self.launch["sandbox"])

    @property
    def strace_log(self) -> Path:
        """Return the pipe the recorder writes into; gone when the result is there."""
        return self.folder / "log" / "strace.out"


def load(folder: Path) -> Job:
    """Read the launch of a laid-out folder."""
    launch = json.loads((folder / "launch.json").read_bytes())
    recorder = None if launch["sandbox"] == "trusted" else strace.program()
    return Job(folder, launch, recorder)


def claim(job: Job) -> None:
    """Say which process holds this hand-out, so that a later one can end its leftovers."""
    own = processes.look(os.getpid())
    text = {
        "pid": os.getpid(),
        "start": own.start if own else 0,
        "boot": processes.boot_id(),
    }
    _write(job.folder / f"claim.{job.launch['epoch']}", json.dumps(text))
    (job.folder / "beat").touch()


def start(job: Job) -> tuple[int, int, socket.socket | None]:
    """Start the job; return our child, the reading end of its log, and the control socket."""
    reading, writing = os.pipe()
    ours, theirs = _control(job)
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            _become_child(job, parent, writing, theirs)
        finally:
            os._exit(126)

    os.close(writing)
    if theirs is not None:
        theirs.close()

    return child, reading, ours


def _control(job: Job) -> tuple[socket.socket | None, socket.socket | None]:
    """Return both ends of the way to the confiner, with the launch already on it."""
    if job.sandbox == "trusted":
        return None, None

    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    environment = job.launch["environment"] | _temporary(job)
    message = marshal.dumps({**job.launch, "environment": environment})
    if len(message) > confine.LAUNCH_LIMIT:
        raise ValueError(f"the launch of {job.folder} has {len(message)} bytes: shorten argv")

    ours.send(message)
    return ours, theirs


def _short_way(job: Job) -> Path:
    """Return a short path for the job's `tmp`: a socket's name has 107 bytes at most."""
    name = blake3(os.fsencode(job.folder)).hexdigest()[:16]
    return Path("/tmp") / f"amid-{os.getuid()}-{name}"  # noqa: S108 - a link, to a place of ours


def _temporary(job: Job) -> dict[str, str]:
    """Make the short way and return it for the environment; nothing where it cannot be made."""
    way, real = _short_way(job), job.folder / "tmp"
    with suppress(OSError):
        for old in way.parent.glob(f"amid-{os.getuid()}-*"):
            if old == way or (old.is_symlink() and not old.exists()):
                old.unlink()  # of a wrapper that was killed

        way.symlink_to(real)
        return {"TMPDIR": str(way)}

    return {}


def _become_child(job: Job, parent: int, log: int, control: socket.socket | None) -> NoReturn:
    kernel.die_with_parent(signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(126)

    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.chdir(job.folder)
    if control is None:
        confine.limit(job.launch["limits"])
        confine.become(job.launch)
        os._exit(127)

    os.set_inheritable(control.fileno(), True)  # noqa: FBT003 - positional only
    words = [sys.executable, "-I", "-m", "runtime.confine", str(job.folder), str(control.fileno())]
    if job.sandbox == "bubblewrap":
        words = [*_wrapping(job), *words]

    if job.recorder is not None:
        words = [*strace.command(job.recorder, job.strace_log), *words]

    os.execve(words[0], words, {"PATH": "/usr/bin:/bin", "LC_ALL": "C"})  # noqa: S606 - no shell


def _wrapping(job: Job) -> list[str]:
    way = _short_way(job)
    return bubblewrap.words(
        bubblewrap.program() or "bwrap",
        str(job.folder),
        tuple(job.launch["reads"]),
        memory_mib=job.launch["limits"]["memory_mib"],
        way=(str(way), str(job.folder / "tmp")) if way.is_symlink() else None,
    )


def run(folder: Path) -> int:
    """Run the job in a folder to its end and write its result."""
    job = load(folder)
    try:
        return _run(job)
    except Exception as defect:  # a wrapper that ends without a result loses its job
        _end_all()
        end = Ending("DEFECT", f"its wrapper broke: {type(defect).__name__}: {defect}")
        _tell(job, end, NOTHING, assurance="none", wall_ms=0)
        return 0
    finally:  # not before the record is written: it follows the way
        with suppress(OSError):
            _short_way(job).unlink()


def _run(job: Job) -> int:
    folder = job.folder
    kernel.become_subreaper()
    claim(job)
    began = time.monotonic()
    recorder = None if job.recorder is None else Recorder(folder, job.launch)
    layers = bubblewrap.LAYERS if job.sandbox == "bubblewrap" else 0
    child, log, control = start(job)
    bounds = Bounds(**job.launch["limits"], grace_s=job.launch.get("grace_s", 0))
    seen = Watch(folder, bounds, child, log, control, recorder, layers).run()
    if seen.abandoned:
        return _ABANDONED

    wall_ms = int((time.monotonic() - began) * 1000)
    _write(folder / "log" / "job.log", b"".join(seen.log)[-LOG_KEPT:])
    access, unrecorded = _recorded(recorder, seen)
    end = judge(folder, job.launch, seen, unrecorded=unrecorded if recorder else "")
    for name in ("tmp",) if end.code is None else ("tmp", "out"):
        room.clear(folder / name)  # of a job that failed, log and record are enough

    assurance = _assurance(job, seen, complete=not unrecorded)
    _tell(job, end, access, assurance=assurance, wall_ms=wall_ms, status=seen.status)
    return 0


def _tell(
    job: Job,
    end: Ending,
    access: dict[str, object],
    *,
    assurance: str,
    wall_ms: int,
    status: int | None = None,
) -> None:
    """Write the result, last of all."""
    told = {
        "schema": SCHEMA,
        "key": job.launch["key"],
        "epoch": job.launch["epoch"],
        "status": "finished" if end.code is None else "failed",
        "code": end.code,
        "reason": end.reason,
        "exit": None if status is None else os.waitstatus_to_exitcode(status),
        "stopped_at": end.stopped_at,
        "outputs": end.outputs,
        "resources": _resources(wall_ms),
        "assurance": assurance,
        "access": access,
        "log": "log/job.log" if (job.folder / "log" / "job.log").is_file() else None,
    }
    _write(job.folder / "result.json", json.dumps(told, indent=1), durable=True)


def _end_all() -> None:
    """Kill every process of the job, when nobody watches it any more."""
    family = processes.Family(os.getpid())
    until = time.monotonic() + _PATIENCE_S
    while (left := family.members(afresh=True)) and time.monotonic() < until:
        processes.kill(left)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass

        time.sleep(0.01)


def _recorded(recorder: Recorder | None, seen: Seen) -> tuple[dict[str, object], str]:
    """End the access record; return its summary, and why it is not whole (empty: it is)."""
    if recorder is None:
        return NOTHING, "nothing recorded what it opened"

    try:
        return recorder.close(seen.answerer.refused if seen.answerer else ())
    except Exception as defect:
        broken = f"its record broke: {type(defect).__name__}: {defect}"
        return {**NOTHING, "record": recorder.so_far()}, broken


def _assurance(job: Job, seen: Seen, *, complete: bool) -> str:
    shut_in = {"landlock": "confined", "bubblewrap": "sealed"}.get(job.sandbox)
    if shut_in is None or seen.confined or seen.answerer is None:
        return "none"

    return shut_in if complete and seen.abi >= landlock.FULL_ABI else "unrecorded"


def _resources(wall_ms: int) -> dict[str, int]:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_ms = int((used.ru_utime + used.ru_stime) * 1000)
    return {"wall_ms": wall_ms, "cpu_ms": cpu_ms, "max_rss_kib": used.ru_maxrss}


def _write(path: Path, content: str | bytes, *, durable: bool = False) -> None:
    """Write whole or not at all: temporary file, rename; durable: with fsync of file and folder."""
    temporary = path.with_name(f".{path.name}.part")
    with temporary.open("wb") as sink:
        sink.write(content.encode() if isinstance(content, str) else content)
        sink.flush()
        if durable:
            os.fsync(sink.fileno())

    temporary.replace(path)
    if durable:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(folder)
        os.close(folder)


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]).resolve()))
