"""A row of keys that tells which of its first ones is the least, while keys are taken out of it."""

from collections.abc import Sequence

Key = tuple[int, float, str]


class Least:
    """A tree of minima over places 0, 1, 2, ...: each question and each removal takes log n."""

    def __init__(self, keys: Sequence[Key]) -> None:
        """Hold every key at its place."""
        places = sorted(range(len(keys)), key=keys.__getitem__)
        self._place = places
        """Rank of a key among all to its place."""
        self._none = len(keys)
        """A rank behind all others: nothing."""
        self._size = max(1, len(keys))
        self._tree = [self._none] * (2 * self._size)

        for rank, place in enumerate(places):
            self._tree[self._size + place] = rank

        for node in range(self._size - 1, 0, -1):
            self._tree[node] = min(self._tree[2 * node], self._tree[2 * node + 1])

    def holds(self, place: int) -> bool:
        """Say whether the key at a place was not taken out yet."""
        return self._tree[self._size + place] < self._none

    def before(self, end: int) -> int:
        """Return the place below `end` that holds the least key; one of them must hold one."""
        least, low, high = self._none, self._size, self._size + end

        while low < high:
            if low & 1:
                least = min(least, self._tree[low])
                low += 1

            if high & 1:
                high -= 1
                least = min(least, self._tree[high])

            low //= 2
            high //= 2

        return self._place[least]

    def remove(self, place: int) -> None:
        """Take the key at a place out."""
        node = self._size + place
        self._tree[node] = self._none

        while node > 1:
            node //= 2
            self._tree[node] = min(self._tree[2 * node], self._tree[2 * node + 1])


__all__ = ["Key", "Least"]
