"""Times one step of a network on this machine: `python -I -m amid.planning.probe` in a job folder.

It trains the template's own network, with its own step, on random data of the size that the data
has, and writes out/probe.json {"template", "ms_per_step", "fixed_ms"}. How many steps a
training takes is planned from that, once per run; the clock decides nothing afterwards.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from amid.documents import Profile
from amid.planning.kind import PlanningPart, planning_part
from amid.planning.plan import Work, kind_of, work
from amid.planning.template import Template
from ledger.blobs import BlobStore

WARM_UP = 3
TIMED = 15
PREDICTED = 5


@dataclass(frozen=True, slots=True)
class Price:
    """What `probe.json` says."""

    template: str
    ms_per_step: int
    fixed_ms: int


class ProbeRefused(Exception):
    """The job was started without something it needs; says what."""


def probe(asked: PlanningPart, template: Template, profile: Profile, ahead: Work) -> Price:
    """Time a template's step and a prediction, in this process.

    Besides its steps an attempt pays, on each fold, for two starts with their imports, for reading
    its cases, and for predicting.
    """
    began = time.perf_counter()
    _reach(template)
    rehearsal = asked.rehearse(template, asked.starts(template, profile), profile, ahead)
    ready = time.perf_counter()

    for _ in range(WARM_UP):
        rehearsal.step()

    steps = [_seconds(rehearsal.step) for _ in range(TIMED)]
    rehearsal.predict()
    each = statistics.median(_seconds(rehearsal.predict) for _ in range(PREDICTED))
    read = ahead.fit * template.train_ms * asked.scale(profile)
    written = ahead.predicted * (template.predict_ms * asked.scale(profile) + 1000 * each)
    fixed = 2000 * (ready - began) + (read + written) / max(1, ahead.folds)

    return Price(
        template=template.name,
        ms_per_step=max(1, -int(-1000 * statistics.median(steps) // 1)),
        fixed_ms=max(1, round(fixed)),
    )


def _reach(template: Template) -> None:
    """Make the template's own modules importable; they read these variables when imported."""
    for name, value in {"AMID_DATA": ".", "AMID_OUT": "out", "AMID_THREADS": "1"}.items():
        os.environ.setdefault(name, value)

    for folder in template.folders():
        sys.path.insert(0, str(folder))


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()

    return time.perf_counter() - began


def _given(job: Path) -> tuple[PlanningPart, Template, Profile, Work]:
    """Read which template to time, and for which data."""
    told = json.loads(job.read_bytes())
    private = told["private"]
    name = private.get("template", told["subject"])
    blobs = BlobStore(Path(private["run"]) / "blobs")
    contract = blobs.read(private["contract"])
    asked = planning_part(kind_of(contract))
    template = asked.TEMPLATES.get(name)

    if template is None or not template.network:
        raise ProbeRefused(f"{name} is no template that trains in steps")

    profile = asked.parse(blobs.read(private["profile"]))

    return asked, template, profile, work(contract, profile)


def main() -> int:
    """Run in the current folder; an unusable input is one sentence on stderr and exit code 5."""
    try:
        found = probe(*_given(Path("job.json")))
    except (ProbeRefused, KeyError) as wrong:
        sys.stderr.write(f"probe: {wrong}\n")
        return 5

    text = json.dumps(
        {
            "template": found.template,
            "ms_per_step": found.ms_per_step,
            "fixed_ms": found.fixed_ms,
        }
    )
    out = Path("out")
    out.mkdir(exist_ok=True)
    (out / "probe.json").write_text(text + "\n", encoding="utf-8")

    return 0


if __name__ == "__main__":
    sys.exit(main())
