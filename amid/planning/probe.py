"""Times one step of a network on this machine: `python -I -m amid.planning.probe` in a job folder.

It trains the template's own network, with its own step, on random volumes of the size that the
data has, and writes out/probe.json {"template", "ms_per_step", "fixed_ms"}. How many steps a
training takes is planned from that, once per run; the clock decides nothing afterwards.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from amid.documents import Profile
from amid.planning.catalogue import TEMPLATES, Template, Value
from amid.planning.plan import Work, work
from ledger.blobs import BlobStore

WARM_UP = 3
TIMED = 15
PREDICTED = 5
CASES = 4
"""Random volumes that the patches are cut from."""


@dataclass(frozen=True, slots=True)
class Price:
    """What `probe.json` says."""

    template: str
    ms_per_step: int
    fixed_ms: int


class ProbeRefused(Exception):
    """The job was started without something it needs; says what."""


def probe(template: Template, profile: Profile, ahead: Work) -> Price:
    """Time a template's step and a prediction, in this process.

    Besides its steps an attempt pays, on each fold, for two starts with their imports, for reading
    its cases, and for predicting.
    """
    began = time.perf_counter()
    _reach(template)
    chosen = template.starts(profile)
    labels = len({"background", *profile.foreground_fraction})
    # sizes are told x first; what is timed hardly depends on the order
    rehearsal = _rehearse(chosen, tuple(profile.size_median), ahead.channels, labels)
    ready = time.perf_counter()

    for _ in range(WARM_UP):
        rehearsal.step()

    steps = [_seconds(rehearsal.step) for _ in range(TIMED)]
    rehearsal.predict()
    each = statistics.median(_seconds(rehearsal.predict) for _ in range(PREDICTED))
    read = ahead.fit * template.train_ms * _scale(profile)
    written = ahead.predicted * (template.predict_ms * _scale(profile) + 1000 * each)
    fixed = 2000 * (ready - began) + (read + written) / max(1, ahead.folds)

    return Price(
        template=template.name,
        ms_per_step=max(1, -int(-1000 * statistics.median(steps) // 1)),
        fixed_ms=max(1, round(fixed)),
    )


@dataclass(frozen=True, slots=True)
class _Rehearsal:
    step: Callable[[], object]
    predict: Callable[[], object]


def _reach(template: Template) -> None:
    """Make the template's own modules importable; they read these variables when imported."""
    for name, value in {"AMID_DATA": ".", "AMID_OUT": "out", "AMID_THREADS": "1"}.items():
        os.environ.setdefault(name, value)

    for folder in template.folders():
        sys.path.insert(0, str(folder))


def _rehearse(
    chosen: dict[str, Value], size: tuple[int, ...], channels: int, labels: int
) -> _Rehearsal:
    """Set a training up as the template's train.py does, on random volumes."""
    import numpy as np

    network, patches = import_module("network"), import_module("patches")
    device = network.settle(0)
    draw = np.random.default_rng(0)
    fold, batch = int(chosen["fold"]), int(chosen["batch"])
    multiple = network.multiple_of(fold)
    patch = patches.patch_for([size], int(chosen["patch"]), multiple)
    volumes = [draw.standard_normal((channels, *size), np.float32) for _ in range(CASES)]
    truths = [draw.integers(0, labels, size) for _ in range(CASES)]
    cases = [patches.ready(*pair, device) for pair in zip(volumes, truths, strict=True)]
    net = network.make(channels, labels, len(size), width=int(chosen["width"]), fold=fold)
    habit = patches.Habit(float(chosen["augment"]), mirror=bool(chosen["mirror"]))
    learner = network.Learner(net.to(device), WARM_UP + TIMED, float(chosen["rate"]))
    cutter = patches.Cutter(patch, habit, device)
    predictor = network.Predictor(net, patch, multiple, int(chosen["passes"]))

    return _Rehearsal(
        step=lambda: learner.step(*cutter.batch(cases[:batch], draw)),
        predict=lambda: predictor.likely(volumes[0]),
    )


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()

    return time.perf_counter() - began


def _scale(profile: Profile) -> float:
    """Return how much larger the volumes are than those of the template's prices."""
    return profile.voxels_median / 63_000


def _given(job: Path) -> tuple[Template, Profile, Work]:
    """Read which template to time, and for which data."""
    told = json.loads(job.read_bytes())
    private = told["private"]
    name = private.get("template", told["subject"])
    template = TEMPLATES.get(name)

    if template is None or not template.network:
        raise ProbeRefused(f"{name} is no template that trains in steps")

    blobs = BlobStore(Path(private["run"]) / "blobs")
    profile = Profile.model_validate_json(blobs.read(private["profile"]))

    return template, profile, work(blobs.read(private["contract"]), profile)


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
