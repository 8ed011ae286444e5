"""`job.json`, `launch.json` and `result.json`: how executor and wrapper talk through a folder."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ledger.events.codes import job_end
from runtime.ports import Access, JobOutcome, JobSpec, OutputFile, Refusal

JOB_SCHEMA = "job/1"
RESULT_SCHEMA = "result/1"
_LEAST_GRACE_S = 60


def write_order(spec: JobSpec, *, private: bool = False) -> None:
    """Write what the job may know (`job.json`) and what only the wrapper may (`launch.json`).

    Args:
        spec: the job.
        private: this machine lets a job have mounts of its own.
    """
    limits = spec.limits.model_dump()
    known = {
        "schema": JOB_SCHEMA,
        "key": spec.key,
        "epoch": spec.epoch,
        "kind": spec.kind,
        "subject": spec.subject,
        "fold": spec.fold,
        "seed": spec.seed,
        "threads": spec.threads,
        "limits": limits,
    }
    if spec.sandbox == "trusted":
        known["private"] = dict(spec.private)

    launch = {
        "key": spec.key,
        "epoch": spec.epoch,
        "argv": list(spec.argv),
        "environment": dict(spec.environment),
        "reads": [os.path.realpath(path) for path in spec.reads],
        "roots": {name: str(path) for name, path in spec.roots.items()},
        "limits": _enforced(spec),
        "sandbox": spec.sandbox,
        "private": private and spec.sandbox == "landlock",
        "checkpoints": _has_checkpoints(spec),
        "grace_s": _grace(spec),
    }
    for name, value in (("job.json", known), ("launch.json", launch)):
        (spec.folder / name).write_text(json.dumps(value, indent=1), encoding="utf-8")


def _enforced(spec: JobSpec) -> dict[str, int]:
    """Return the limits the wrapper holds the job to."""
    limits: dict[str, int] = spec.limits.model_dump()
    if spec.patience_s is None:
        return limits

    return {**limits, "wall_s": spec.patience_s, "cpu_s": spec.patience_s * max(1, spec.threads)}


def _has_checkpoints(spec: JobSpec) -> bool:
    return bool(int(spec.environment.get("AMID_STEPS") or 0))


def _grace(spec: JobSpec) -> int:
    """Return the seconds a job with checkpoints gets after its wall limit to end at its next."""
    asked = _has_checkpoints(spec) and spec.patience_s is None
    return max(_LEAST_GRACE_S, spec.limits.wall_s // 2) if asked else 0


def read_result(folder: Path) -> JobOutcome | None:
    """Return the outcome in a folder, None where there is none or it is not whole."""
    try:
        found = json.loads((folder / "result.json").read_bytes())
    except (OSError, ValueError):
        return None

    if not isinstance(found, dict) or found.get("schema") != RESULT_SCHEMA:
        return None

    try:
        return _outcome(folder, found)
    except (KeyError, TypeError):
        return None


def _outcome(folder: Path, found: Mapping[str, Any]) -> JobOutcome:
    used = found["resources"]
    return JobOutcome(
        key=found["key"],
        epoch=found["epoch"],
        status=found["status"],
        reason=found["reason"],
        outputs=tuple(OutputFile(f["path"], f["digest"], f["bytes"]) for f in found["outputs"]),
        log=folder / found["log"] if found["log"] else None,
        stopped_at=found["stopped_at"],
        assurance=found["assurance"],
        access=_access(folder, found["access"]),
        wall_ms=used["wall_ms"],
        cpu_ms=used["cpu_ms"],
        max_rss_kib=used["max_rss_kib"],
        code=job_end(found["code"]),
    )


def _access(folder: Path, found: Mapping[str, Any]) -> Access:
    return Access(
        record=folder / found["record"] if found["record"] else None,
        opened=found["opened"],
        denied=tuple(Refusal(d["op"], d["path"], d["result"]) for d in found["denied"]),
        denied_total=found["denied_total"],
        recorder=found["recorder"],
        complete=found["complete"],
    )


def lost(spec: JobSpec, reason: str) -> JobOutcome:
    """Return the outcome of a job that nobody can say anything about."""
    return JobOutcome(
        key=spec.key,
        epoch=spec.epoch,
        status="lost",
        reason=reason,
        outputs=(),
        log=None,
        stopped_at=None,
        assurance="none",
        access=Access(None, 0, (), 0, "none", complete=False),
        wall_ms=0,
        cpu_ms=0,
        max_rss_kib=0,
        code="LOST",
    )


__all__ = ["JOB_SCHEMA", "RESULT_SCHEMA", "lost", "read_result", "write_order"]
