"""A folder like a run, and jobs laid out in it, for tests with real processes."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import anyio
import pytest

from ledger.events.job import Limits
from runtime.adapters.executors.local import LocalExecutor
from runtime.adapters.executors.result import read_result, write_order
from runtime.adapters.sandbox import bubblewrap
from runtime.ports import JobOutcome, JobSpec, Sandbox

LIMITS = Limits(wall_s=20, cpu_s=20, memory_mib=1024, output_mib=16, processes=40)
KEY = "ab" * 32

needs_bubblewrap = pytest.mark.skipif(
    bubblewrap.version() is None, reason="no bubblewrap here, or no user namespaces for it"
)
SHUT_IN = ("landlock", pytest.param("bubblewrap", marks=needs_bubblewrap))
"""The kinds of sandbox that shut a job in."""
ASSURED = {"landlock": "confined", "bubblewrap": "sealed"}
"""What a job that was shut in and recorded is called."""


@dataclass(frozen=True, slots=True)
class Place:
    """A run folder with something to hide, beside a data folder."""

    run: Path
    data: Path
    kind: ClassVar[Sandbox] = "landlock"
    """What a job is shut in by where a test does not say; see the fixture `each_kind`."""

    @classmethod
    def make(cls, root: Path) -> "Place":
        place = cls(root / "RUN", root / "data")
        for path in (
            place.run / "vault" / "labels" / "c-0001.nii.gz",
            place.run / "blobs" / "ab" / "cdef",
            place.run / "ledger.db",
            place.run / "jobs" / "other" / "out" / "secret",
            place.run / "views" / "v1" / "images" / "c-0001_0000.nii.gz",
            place.data / "patient-7.nii.gz",
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("something")

        return place

    def job(self, code: str, name: str = "job", **changes: object) -> JobSpec:
        """Lay out a job that runs this code, with its view readable."""
        folder = self.run / "jobs" / name
        (folder / "in" / "code").mkdir(parents=True, exist_ok=True)
        (folder / "in" / "code" / "train.py").write_text(code, encoding="utf-8")
        view = self.run / "views" / "v1"
        spec = JobSpec(
            key=KEY,
            epoch=1,
            kind="train",
            argv=("python", "-s", "-E", "-B", "in/code/train.py"),
            environment={"HOME": "tmp", "TMPDIR": "tmp", "AMID_DATA": "../../views/v1"},
            folder=folder,
            reads=(view,),
            roots=self.roots,
            limits=LIMITS,
            sandbox=Place.kind,
            threads=1,
            seed=0,
        )
        return replace(spec, **changes)  # type: ignore[arg-type]

    @property
    def roots(self) -> Mapping[str, Path]:
        """The named roots a spec carries."""
        return {
            "run": self.run,
            "vault": self.run / "vault",
            "blobs": self.run / "blobs",
            "data": self.data,
            "view": self.run / "views" / "v1",
        }


def execute(spec: JobSpec) -> JobOutcome:
    """Run one job to its end."""

    async def go() -> JobOutcome:
        return await LocalExecutor(2).run(spec)

    return anyio.run(go)


def ran(place: Place, code: str, sandbox: Sandbox | None = None, **limits: int) -> JobOutcome:
    """Run code and return the outcome."""
    bounds = LIMITS.model_copy(update=limits)
    return execute(place.job(code, sandbox=sandbox or place.kind, limits=bounds))


def log_of(outcome: JobOutcome) -> str:
    """Return what the job printed."""
    return "" if outcome.log is None else outcome.log.read_text(encoding="utf-8", errors="replace")


def record_of(outcome: JobOutcome) -> list[dict[str, object]]:
    """Return the lines of the access record."""
    if outcome.access.record is None:
        return []

    text = outcome.access.record.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def refusals_of(outcome: JobOutcome) -> set[tuple[str, str, str]]:
    """Return the refusals that stand in the outcome."""
    return {(d.op, d.path, d.result) for d in outcome.access.denied}


def wrapped(spec: JobSpec, change: str) -> JobOutcome:
    """Run the wrapper with one thing of this machine taken away."""
    for name in ("out", "log", "tmp", "ask"):
        (spec.folder / name).mkdir(parents=True, exist_ok=True)

    write_order(spec)
    script = f"import sys; from pathlib import Path; import runtime.job as job\n{change}\n"
    script += "sys.exit(job.run(Path(sys.argv[1])))"
    words = [sys.executable, "-I", "-c", script, str(spec.folder)]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, timeout=30)
    outcome = read_result(spec.folder)
    assert outcome is not None
    return outcome


@contextmanager
def listening() -> Iterator[tuple[int, int]]:
    """Listen on a TCP and a UDP loopback port; yield their numbers."""
    with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        udp.bind(("127.0.0.1", 0))
        accepting = threading.Thread(target=_accept_all, args=(tcp,), daemon=True)
        accepting.start()
        yield tcp.getsockname()[1], udp.getsockname()[1]
        tcp.shutdown(socket.SHUT_RDWR)
        accepting.join(5)


def _accept_all(listener: socket.socket) -> None:
    while True:
        try:
            listener.accept()[0].close()
        except OSError:
            return


def living_with(marker: str) -> list[int]:
    """Return the processes with a marker in their command line or working directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
                words += bytes((entry / "cwd").readlink()) if words else b""
            except OSError:
                continue

            if marker.encode() in words:
                found.append(int(entry.name))

    return found


async def appearance(path: Path) -> None:
    """Wait until a file is there: another process makes it, so there is no event to wait for."""
    with anyio.fail_after(20):
        while not path.exists():  # noqa: ASYNC110, ASYNC240
            await anyio.sleep(0.02)
