"""What must not leave in a package: patients, hosts, users and places of this machine.

Names are found as whole words. A name too short to tell from an ordinary word or number (under
three characters, or fewer than five digits) is not looked for; such names are never written to
begin with, since cases and groups go by their aliases.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_COMMON = frozenset({"root", "user", "admin", "localhost", "test", "train", "image", "label"})
_PLACE = re.compile(r"(?<![\w./-])/(?:home|Users|root|tmp|var|mnt|work|data|scratch)/[\w./-]+")


@dataclass(frozen=True, slots=True)
class Private:
    """Words and places to keep out."""

    words: re.Pattern[str] | None
    places: tuple[str, ...]

    @classmethod
    def of(cls, words: Iterable[str], places: Iterable[str]) -> "Private":
        """Return a guard for names of people and machines, and for folders."""
        worth = sorted({word for word in words if _tells(word)}, key=lambda x: (-len(x), x))
        either = "|".join(re.escape(word) for word in worth)
        pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{either})(?![A-Za-z0-9])") if worth else None
        # a folder right under the root, such as /data, is too common to be told apart
        return cls(pattern, tuple(sorted({place for place in places if place.count("/") > 1})))

    def in_text(self, text: str) -> bool:
        """Say whether a text of ours holds a private word or any absolute path of a machine."""
        named = self.words is not None and self.words.search(text) is not None
        return named or _PLACE.search(text) is not None or self.in_bytes(text.encode())

    def in_bytes(self, content: bytes) -> bool:
        """Say whether the output of a job names a place of this machine."""
        return any(place.encode() in content for place in self.places)


def _tells(word: str) -> bool:
    """Say whether a word is particular enough to be looked for."""
    if word.casefold() in _COMMON:
        return False

    return len(word) >= 5 if word.isdigit() else len(word) >= 3


__all__ = ["Private"]
