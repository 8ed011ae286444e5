"""Runs the jobs of a made-up run: an executor without a sandbox, and the views jobs read."""

import subprocess
import sys
from pathlib import Path
from typing import Literal

import orjson
from blake3 import blake3

from amid.documents import Split, View, ViewCase
from runtime.ports import Access, JobOutcome, JobSpec, OutputFile
from tests.amid.package import sample_data as sample

NO_ACCESS = Access(
    record=None, opened=0, denied=(), denied_total=0, recorder="none", complete=False
)


class PlainExecutor:
    """Runs a job as a child process and hashes what it left under `out/`."""

    def __init__(self) -> None:
        """Count the jobs that were really run."""
        self.runs = 0

    async def run(self, spec: JobSpec) -> JobOutcome:
        """Run the job to its end."""
        self.runs += 1
        (spec.folder / "out").mkdir()
        order = {"schema": "job/1", "subject": spec.subject, "fold": spec.fold, "seed": spec.seed}
        (spec.folder / "job.json").write_bytes(orjson.dumps(order))
        words = [sys.executable, *spec.argv[1:]]
        done = subprocess.run(  # noqa: ASYNC221 - a test's own code, short
            words, cwd=spec.folder, env=dict(spec.environment), capture_output=True, check=False
        )
        (spec.folder / "log.txt").write_bytes(done.stdout + done.stderr)
        return JobOutcome(
            key=spec.key,
            epoch=spec.epoch,
            status="failed" if done.returncode else "finished",
            reason=done.stderr.decode()[-300:],
            outputs=outputs_of(spec.folder / "out"),
            log=spec.folder / "log.txt",
            stopped_at=None,
            assurance="none",
            access=NO_ACCESS,
            wall_ms=40,
            cpu_ms=30,
            max_rss_kib=9000,
        )

    def recover(self, folder: Path) -> Literal["finished", "gone"]:
        """Say what a job that is run in one go can say."""
        return "finished" if (folder / "out").is_dir() else "gone"


def outputs_of(out: Path) -> tuple[OutputFile, ...]:
    """Return the files below a folder, hashed, by path."""
    found = []
    for file in sorted(path for path in out.rglob("*") if path.is_file()):
        content = file.read_bytes()
        name = file.relative_to(out).as_posix()
        found.append(OutputFile(name, blake3(content).hexdigest(), len(content)))

    return tuple(found)


def lay_out_view(data: Path, split: Split, view: str, into: Path) -> None:
    """Lay out images, and labels for training, as a job reads them."""
    kind, _, name = view.partition("/")
    fold = next((fold for fold in split.folds if fold.fold == name), None)
    seen = fold.fit if kind == "train" and fold else (fold.validation if fold else ())
    aliases = [*seen, *split.inner, *(() if kind == "train" else split.test)]
    rows = []
    for alias in sorted(aliases):
        number = int(alias.removeprefix("c-"))
        source = f"{sample.real(number)}{sample.SUFFIX}"
        image, label = f"images/{alias}_image{sample.SUFFIX}", f"labels/{alias}{sample.SUFFIX}"
        _copy(data / "images" / source, into / image)
        if kind == "train":
            _copy(data / "labels" / source, into / label)
        rows.append(
            ViewCase(case=alias, images={"image": image}, label=label if kind == "train" else None)
        )

    content = View(view=view, labels={"background": 0, "ball": 1}, cases=tuple(rows))
    (into / "cases.json").write_bytes(orjson.dumps(content.model_dump(mode="json")))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes())
