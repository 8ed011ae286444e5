"""Access records of an attempt's jobs, reduced to what concerns sealed places."""

import json
from pathlib import Path

from amid.review.checks.evidence import AccessFacts, Opening
from amid.review.measure.inputs import InputWrong, read_blob

SEALED = ("vault:", "data:", "blobs:", "run:", "jobs:", "unknown:")
"""Roots that no job of an attempt may ask for: labels, the data folder, other attempts' files,
other jobs, the run itself; and what the recorder could not tell."""


def read_access(run: Path, digests: str) -> tuple[AccessFacts, ...] | None:
    """Read records by comma-separated digests; None when there is none at all."""
    names = [name.strip() for name in digests.split(",") if name.strip()]
    return tuple(_read(run, name) for name in names) if names else None


def _read(run: Path, digest: str) -> AccessFacts:
    sealed: dict[tuple[str, str, str], Opening] = {}
    lines = read_blob(run, digest).splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue

        try:
            told = json.loads(line)
            op, path = str(told["op"]), str(told["path"])
            result = str(told["result"])
        except (ValueError, KeyError, TypeError) as trouble:
            raise InputWrong(
                f"access record {digest[:12]}, line {number}: not {{op, path, result}}"
            ) from trouble

        if path.startswith(SEALED) and "count" not in told:
            opening = Opening(op, path, result, granted=_granted(result))
            sealed.setdefault((op, path, result), opening)

    return AccessFacts(digest, len(lines), tuple(sealed.values()))


def _granted(result: str) -> bool:
    """Say whether a call succeeded: `ok` or a descriptor; else the name of an error or `?`."""
    return result == "ok" or result.isdigit()
