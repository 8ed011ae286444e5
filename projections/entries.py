"""Named entries in the order they came, each of which may wait as bytes until it is asked for.

A long run has many entries that nobody asks for again. Where a fold is kept and read back, each of
them stays as it was kept until somebody does.
"""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar, cast

Entry = TypeVar("Entry")

Freeze = Callable[[object], bytes]
Thaw = Callable[[bytes], object]


class Entries(Generic[Entry]):
    """A mapping from names to entries; an entry is never bytes itself."""

    def __init__(self) -> None:
        """Start empty."""
        self._of: dict[str, Entry | bytes] = {}
        self._freeze: Freeze | None = None
        self._thaw: Thaw | None = None

    def bind(self, freeze: Freeze, thaw: Thaw) -> None:
        """Say how an entry becomes bytes, and an entry again."""
        self._freeze, self._thaw = freeze, thaw

    def __contains__(self, name: object) -> bool:
        """Say whether there is an entry of this name."""
        return name in self._of

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self._of)

    def __iter__(self) -> Iterator[str]:
        """Yield names in the order in which they came first."""
        return iter(self._of)

    def values(self) -> Iterator[Entry]:
        """Yield every entry in the order of names."""
        for name in tuple(self._of):
            yield self[name]

    def get(self, name: str) -> Entry | None:
        """Return the entry of a name, if there is one."""
        return self[name] if name in self._of else None

    def __getitem__(self, name: str) -> Entry:
        """Return the entry of a name."""
        entry = self._of[name]

        if isinstance(entry, bytes):
            if self._thaw is None:
                raise TypeError("nobody said how an entry is read")

            entry = self._of[name] = cast("Entry", self._thaw(entry))

        return entry

    def __setitem__(self, name: str, entry: Entry) -> None:
        """Put an entry in its place, behind all others where its name is new."""
        self._of[name] = entry

    def __getstate__(self) -> dict[str, bytes]:
        """Return all entries as bytes: those that were not asked for as they are."""
        if self._freeze is None:
            raise TypeError("nobody said how an entry is kept")

        freeze = self._freeze
        return {n: e if isinstance(e, bytes) else freeze(e) for n, e in self._of.items()}

    def __setstate__(self, kept: dict[str, bytes]) -> None:
        """Take entries back, each as it was kept."""
        self._of, self._freeze, self._thaw = dict(kept), None, None


__all__ = ["Entries", "Freeze", "Thaw"]
