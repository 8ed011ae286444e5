"""Writes a golden sample for each event type and version that has none yet.

    python -m tests.golden.make_events

A sample that exists is never touched: it is what a run of that version holds.
"""

import re
import types
import typing
from pathlib import Path

from blake3 import blake3

from ledger.canonical import encode
from ledger.events.base import Fact, Part
from ledger.events.union import CATALOGUE, dump

FOLDER = Path(__file__).parent / "events"

_TEXTS = {
    "agent": "recipe",
    "assurance": "confined",
    "attempt": "a-intensity-prior-explorer-r1s1t1",
    "base": "a-intensity-prior-explorer-r1s1t1",
    "because": "the round is closed and nothing is left to do",
    "boot": "5f3c1a52-7f0e-4b57-9d0a-0c5c7d1f4e21",
    "by": "planner",
    "check": "prediction-geometry/1",
    "code": "GEOMETRY-MISMATCH",
    "commit": "3f786850e387550fdab836ed7e6dc881de23001b",
    "cpu": "x86_64, 2 cores, avx2",
    "data_conditions": "one channel, any spacing, at least four labelled cases",
    "description": "threshold between the class means, weighted by a location prior",
    "evidence": "equal voxels after the offset is removed",
    "expected_artifacts": "model.npz and one label image per case",
    "failure_modes": "inverted contrast; a structure that moves between patients",
    "family": "classical",
    "first": "c-0003",
    "fold": "f1",
    "gpu": "none",
    "high": "0.871",
    "hypothesis": "the structure is brighter than what lies around it and always near one place",
    "kind": "segmentation",
    "lane": "intensity-prior",
    "low": "0.802",
    "message": "w-intensity-prior-explorer-r1s1 turn 1",
    "metric": "dice",
    "name": "f1",
    "null": "mean-shape",
    "op": "open",
    "origin": "task",
    "os": "Linux 6.1",
    "parent": "1c5a863c8c6d1a3d1f5ce5b6a6d1a6b1f7d2f1e0",
    "path": "vault:labels/c-0007.nii.gz",
    "person": "A. Reader",
    "preprocessing": "none",
    "prompt": '{"turn":1,"worker":"w-intensity-prior-explorer-r1s1"}',
    "python": "3.11.7",
    "reason": "below the best null in 2 of 6 groups",
    "ref": "c-0007",
    "required_resources": "scipy, one core",
    "resource": "scipy",
    "result": "EACCES",
    "run": "0123456789abcdef0123456789abcdef",
    "says": "1 of 12 predictions has another origin than its image",
    "second": "c-0009",
    "stage": "explore",
    "standard_error": "0.014",
    "started": "4711",
    "status": "ok",
    "subject": "a-intensity-prior-explorer-r1s1t1",
    "task": "tiny",
    "template": "intensity_prior",
    "training_budget": "one pass over the training cases",
    "tree": "89e6c98d92887913cadf06b2adb97f26cde4849b",
    "validation_obligations": "above every null in each fold",
    "value": "0.8375",
    "version": "0.1.0",
    "worker": "w-intensity-prior-explorer-r1s1",
}

_OWN: dict[str, object] = {
    "CheckFound.outcome": "reject",
    "Claim.value": "0.91",
    "CommitFrozen.message": "w-intensity-prior-explorer-r1s1 turn 1",
    "Evidence.kind": "number",
    "Evidence.ref": "origin_mm",
    "Evidence.says": "the origins are 1.5 mm apart",
    "Input.name": "train/f1",
    "JobRequested.kind": "train",
    "ResourceProbed.version": "1.16.3",
    "RunResumed.after_seq": 118,
    "Setting.name": "seed",
    "Setting.origin": "option",
    "Setting.value": "20260101",
    "TreeFile.path": "train.py",
    "VerdictGiven.codes": ("GEOMETRY-MISMATCH",),
    "VerdictGiven.verdict": "reject",
    "WorkerStateEntered.state": "editing",
}
"""What differs from the tables below: class and field."""

_LISTS = {
    "codes": ("GEOMETRY-MISMATCH", "LABELS-UNKNOWN"),
    "command": ("python", "train.py"),
    "members": (),
    "missing": ("no accepted attempt",),
    "predict": ("python", "predict.py"),
    "findings": ("6 groups: five folds would leave one short, so three were made",),
    "priority_because": ("trains in seconds on one core", "the contrast is high"),
    "problems": (),
    "reasons": ("highest priority among the families without an attempt",),
    "sandboxes": ("landlock:7", "trusted"),
    "train": ("python", "train.py"),
}

_NUMBERS = {
    "bytes": 1834,
    "cases": 12,
    "cores": 2,
    "cost_microusd": 0,
    "cpu_ms": 4890,
    "cpu_s": 120,
    "denied_total": 1,
    "epoch": 1,
    "fixed_ms": 900,
    "fit": 8,
    "groups": 6,
    "images": 12,
    "looks": 4,
    "max_rss_kib": 81920,
    "memory_mib": 2048,
    "ms_per_step": 12,
    "n": 1,
    "opened": 214,
    "output_mib": 256,
    "pid": 4711,
    "priority": 700,
    "processes": 64,
    "rank": 1,
    "round": 1,
    "seed": 20260101,
    "slot": 1,
    "steps": 200,
    "stopped_at": 180,
    "term": 1,
    "threads": 1,
    "tokens": 0,
    "turn": 1,
    "units": 120,
    "attempts": 12,
    "validation": 4,
    "wall_ms": 5120,
    "wall_s": 180,
}

_DIGEST = re.compile(r"\{64\}")


def sample(cls: type[Part]) -> Part:
    """Return a plausible value of a class."""
    values = {
        name: _value(cls.__name__, name, _hint(cls, name))
        for name in cls.model_fields
        if name != "type" or not issubclass(cls, Fact)
    }
    return cls(**values)


def _hint(cls: type[Part], name: str) -> object:
    return typing.get_type_hints(cls, include_extras=True)[name]


def _value(owner: str, name: str, hint: object) -> object:
    if (own := _OWN.get(f"{owner}.{name}")) is not None:
        return own

    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        hint = next(item for item in typing.get_args(hint) if item is not type(None))

    if typing.get_origin(hint) is tuple:
        return _several(owner, name, typing.get_args(hint)[0])

    if typing.get_origin(hint) is typing.Literal:
        wanted = _TEXTS.get(name)
        choices = typing.get_args(hint)
        return wanted if wanted in choices else choices[0]

    if isinstance(hint, type) and issubclass(hint, Part):
        return sample(hint)

    return _plain(owner, name, hint)


def _several(owner: str, name: str, item: object) -> tuple[object, ...]:
    if item is not str:
        return (_value(owner, name, item),)

    return _LISTS.get(name, (_TEXTS.get(name, f"a note about {name}"),))


def _plain(owner: str, name: str, hint: object) -> object:
    text = str(hint)
    if hint is bool:
        return True

    if ("int" in text and "Ge(" in text) or hint is int:
        return _NUMBERS.get(name, 3)

    if _DIGEST.search(text):
        return blake3(f"{owner}.{name}".encode()).hexdigest()

    return _TEXTS.get(name) or f"{name.replace('_', ' ')}: as the template says"


def main() -> None:
    """Write the samples that are missing."""
    FOLDER.mkdir(exist_ok=True)

    for name, cls in CATALOGUE.items():
        path = FOLDER / f"{name}.v{cls.v}.json"
        event = sample(cls)
        if not path.exists() and isinstance(event, Fact):
            path.write_bytes(encode(dump(event)))


if __name__ == "__main__":
    main()
