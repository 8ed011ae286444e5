"""Carries a made-up run to its end: the package job's outcome is recorded as the loop would."""

import shutil
from pathlib import Path

import orjson

from amid.package.build import build
from ledger.blobs import BlobStore
from ledger.canonical import encode
from ledger.events.base import Fact
from ledger.events.run import RunFinished
from ledger.events.union import dump
from ledger.events.work import PackageBuilt
from ledger.record import NewEvent
from ledger.store import Ledger
from tests.amid.package.sample_run import FINAL, head_of, make


def append(run: Path, *facts: Fact) -> None:
    """Append events to a run."""
    with Ledger.open(run / "ledger.db") as ledger:
        ledger.append([NewEvent(fact.type, fact.v, encode(dump(fact))) for fact in facts])


def finish(run: Path, work: Path) -> Path:
    """Build the package of a run, store its files and record that it was built."""
    out = work / "package-job-out"
    assert build(run, FINAL, head_of(run), out) == ()
    blobs = BlobStore(run / "blobs")
    rows = orjson.loads((out / "manifest.json").read_bytes())
    for row in rows:
        blobs.put(out / "payload" / row["path"])

    manifest = blobs.put(out / "manifest.json")
    append(
        run,
        PackageBuilt(attempt=FINAL, manifest=manifest, files=len(rows)),
        RunFinished(outcome="package", because="done"),
    )
    return Path(shutil.copytree(out, run / "package"))


def shared(base: Path) -> Path:
    """Return the folder of a made-up run that has no package yet, made once below `base`."""
    if not (base / "sample").exists():
        (base / "sample").mkdir()
        make(base / "sample")

    return base / "sample/RUN"


def shared_finished(base: Path) -> Path:
    """Return the folder of the same run carried to its end, made once below `base`."""
    run = shared(base)
    if not (base / "finished").exists():
        shutil.copytree(run.parent, base / "finished")
        finish(base / "finished/RUN", base / "finished")

    return base / "finished/RUN"
