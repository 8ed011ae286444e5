"""Packs a run's package into one zip, with every event up to the run's last one."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from amid.errors import AnswerIsNo, FolderExists, Missing
from amid.package.build import build
from ledger.events.data import TaskAgreed
from ledger.events.work import PackageBuilt
from ledger.reader import read
from replay.history import History
from replay.package import zip_bytes


class NoPackage(Missing):
    """The run has no package, or no longer the evidence for one."""


class PackageDiffers(AnswerIsNo):
    """What is built now is not what the run recorded."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A zip that was written."""

    path: Path
    files: int
    bytes: int
    digest: str
    as_of: int


def export(run: Path, to: Path) -> Bundle:
    """Write the package of `run` as a zip to the new file `to`.

    The payload is that of the `package.built` event, byte for byte; the provenance is as of the
    last event, so that `package.built` itself is among the events.

    Raises:
        FolderExists: something lies at `to`.
        NoPackage: the run has no package, or its evidence is not all there any more.
        PackageDiffers: the payload made now is not the recorded one.
    """
    if to.exists():
        raise FolderExists(
            "the file to write is already there",
            where=str(to),
            why="a package is never overwritten",
            do="name another file",
        )

    with read(run / "ledger.db") as reader:
        history = History.of(reader.records())

    built = history.last(PackageBuilt)
    if built is None:
        raise NoPackage(
            "this run has no package",
            where=str(run),
            why="a package is built from an accepted attempt, at the end of a run",
            do="`amid status RUN` says where it stands; `amid resume RUN` goes on",
        )

    with tempfile.TemporaryDirectory() as place:
        content = _build(run, built[1], history.head, Path(place) / "out")

    task = history.all(TaskAgreed)[0][1].task
    data = zip_bytes(content, folder=f"{task}-package")
    part = to.with_name(f".{to.name}.part")
    part.write_bytes(data)
    with part.open("rb") as handle:
        os.fsync(handle.fileno())

    part.rename(to)
    return Bundle(to, len(content), len(data), blake3(data).hexdigest(), history.head)


def _build(run: Path, built: PackageBuilt, head: int, out: Path) -> dict[str, bytes]:
    missing = build(run, built.attempt, head, out)
    if missing:
        raise NoPackage(
            f"the evidence for the package is not all there: {'; '.join(missing[:5])}",
            where=str(run),
            why="no package leaves without its evidence",
            do="`amid verify RUN` lists what was changed or is gone",
        )

    found = blake3((out / "manifest.json").read_bytes()).hexdigest()
    if found != built.manifest:
        raise PackageDiffers(
            f"the payload made now has manifest {found}, recorded is {built.manifest}",
            where=str(run),
            why="this program builds another payload than the one that wrote the run",
            do="install the version that `amid show RUN 1` names",
        )

    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file()
    }


__all__ = ["Bundle", "NoPackage", "PackageDiffers", "export"]
