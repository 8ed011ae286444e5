"""Gives cases and groups names that tell nothing: the same for one seed, in no natural order."""

from collections.abc import Iterable

from blake3 import blake3


def deal(ids: Iterable[str], *, prefix: str, seed: int) -> dict[str, str]:
    """Return id to alias, such as `c-0001`; order of and duplicates among `ids` do not matter."""
    key = blake3(f"amid alias {prefix} {seed}".encode()).digest()
    shuffled = sorted(set(ids), key=lambda name: (blake3(name.encode(), key=key).digest(), name))
    return {name: f"{prefix}-{number:04d}" for number, name in enumerate(shuffled, start=1)}


__all__ = ["deal"]
