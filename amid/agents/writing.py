"""Writes an attempt into a worktree: the template's code and its attempt.toml."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from amid.agents.search import shown
from amid.planning.template import Template, Value


@dataclass(frozen=True, slots=True)
class Attempt:
    """All that attempt.toml says."""

    lane: str
    description: str
    template: Template
    params: Mapping[str, Value]
    weights: Mapping[str, float] = field(default_factory=dict)
    """Attempt to weight; only a finalizer has any."""


def manifest(attempt: Attempt) -> str:
    """Return the text of attempt.toml."""
    train = ["python", "train.py"] if attempt.template.trains else []
    means = {parameter.name: parameter.means for parameter in attempt.template.parameters}
    lines = [
        f"lane = {_text(attempt.lane)}",
        f"description = {_text(attempt.description)}",
        f"train = {_list(train)}",
        f"predict = {_list(['python', 'predict.py'])}",
        f"members = {_list(list(attempt.weights))}",
        "",
        "[params]",
        *(f"{name} = {shown(value)}  # {means[name]}" for name, value in attempt.params.items()),
    ]

    if attempt.weights:
        lines += ["", "[params.weights]"]
        lines += [f"{_text(name)} = {weight:g}" for name, weight in attempt.weights.items()]

    return "\n".join(lines) + "\n"


def write(worktree: Path, files: Mapping[str, str]) -> tuple[str, ...]:
    """Write the files that differ and remove other ones in the root; return what changed."""
    changed = []

    for path in sorted(worktree.iterdir()):
        if path.is_file() and path.name not in files:
            path.unlink()
            changed.append(f"removed {path.name}")

    for name, text in sorted(files.items()):
        path = worktree / name

        if not path.exists():
            changed.append(f"wrote {name}")
        elif path.read_bytes() != text.encode():
            changed.append(f"rewrote {name}")
        else:
            continue

        path.write_text(text, encoding="utf-8")

    return tuple(changed)


def _text(value: str) -> str:
    # a JSON string of printable text is a TOML string
    return json.dumps(value, ensure_ascii=False)


def _list(words: Sequence[str]) -> str:
    return "[" + ", ".join(_text(word) for word in words) + "]"


__all__ = ["Attempt", "manifest", "write"]
