"""The digest of all that decides a verdict: rules, checks, metrics, and how predictions are read.

It covers the source and not only the names, so that a changed body of a check is another rule set:
whoever verifies a run learns whether its verdicts were given by the rules at hand.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from blake3 import blake3

from amid.review.rules import rules_text

ROOMS = ("review", "kinds", "data")
"""Rooms of `amid` whose code takes part in a verdict."""
ELSEWHERE = ("planning", "package.py", "report.py", "overlay.py", "curves.py")
"""What of them does not: what is proposed before, and what is shown afterwards."""


@cache
def rules_digest() -> str:
    """Return the digest over the rules in words and every source file behind them."""
    digest = blake3(rules_text().encode())
    for name, content in sources():
        digest.update(f"\n{name} {blake3(content).hexdigest()}".encode())

    return digest.hexdigest()


def sources() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each file that takes part in a verdict, by name."""
    for room in ROOMS:
        yield from _below(room, files("amid").joinpath(room))


def _below(name: str, folder: Traversable) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name in ELSEWHERE or entry.name.startswith((".", "__pycache__")):
            continue

        if entry.is_dir():
            yield from _below(f"{name}/{entry.name}", entry)
        elif entry.name.endswith(".py"):
            yield f"{name}/{entry.name}", entry.read_bytes()


__all__ = ["rules_digest", "sources"]
