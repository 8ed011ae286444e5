"""What classification asks of the data: a class in the table for each case, and enough of each."""

from collections import Counter
from collections.abc import Iterator, Sequence

from amid.data.described import ImageProfile
from amid.documents import Geometry, Profile
from amid.errors import Problem
from amid.kinds.classification import words
from amid.profile import images
from amid.profile.desk import Desk
from amid.profile.inventory import Taken
from amid.profile.kind import Label
from amid.profile.measure import Measured
from amid.profile.place import Place
from amid.tasks.contract import Contract
from amid.tasks.table import Row

COMPONENTS = (1, 2, 3, 4)

_FEW = 10
"""Development cases of a class under which its scores say little."""


class ClassificationProfile(ImageProfile):
    """What the data of a classification are."""

    class_cases: dict[str, int]
    """Class name to how many labelled development cases have it."""


def label(desk: Desk, row: Row, alias: str, like: tuple[Geometry, Place] | None) -> Label | None:
    """Put the classes of a row into the vault; the table has checked their names."""
    del like
    if row.label is None:
        return None

    content = words.stored(row.label, desk.contract.labels)
    desk.vault.put_label(alias, words.SUFFIX, content)
    return Label(content, words.SUFFIX, words.read(content))


def absent(seen: Sequence[Measured], contract: Contract) -> Iterator[Problem]:
    """Yield the classes that no development case has, and those that all of them have."""
    held = _development(seen)
    counts = Counter(name for names in held for name in names)
    for name in contract.labels:
        if counts[name] == 0:
            yield _lopsided(name, f"is the class of none of the {len(held)} development cases")
        elif counts[name] == len(held):
            yield _lopsided(name, f"is a class of each of the {len(held)} development cases")


def _lopsided(name: str, says: str) -> Problem:
    return Problem(
        code="class-absent",
        where=f"class {name}",
        says=f"{says}: nothing tells it from the others",
        do="take it out of [labels] in task.toml, or add cases",
    )


def label_notes(seen: Sequence[Measured], contract: Contract) -> Iterator[str]:
    """Yield the classes that few development cases have."""
    held = _development(seen)
    counts = Counter(name for names in held for name in names)
    for name in contract.labels:
        if counts[name] < _FEW:
            yield f"only {counts[name]} of {len(held)} development cases are of class {name}"


def profile(contract: Contract, taken: Taken) -> ClassificationProfile:
    """Return the profile; classes are those of development cases only."""
    counts = Counter(name for names in _development(taken.measured) for name in names)
    return ClassificationProfile(
        **dict(images.profile(contract, taken)),
        class_cases={name: counts[name] for name in contract.labels},
    )


def says(found: Profile) -> tuple[str, ...]:
    """Return a profile as sentences for people, the findings last."""
    if not isinstance(found, ClassificationProfile):
        raise TypeError("this is no profile of a classification")

    counts = ", ".join(f"{name} {count}" for name, count in sorted(found.class_cases.items()))
    return images.says(found, f"development cases by class: {counts}")


def parse(content: bytes) -> ClassificationProfile:
    """Read a profile's blob back."""
    return ClassificationProfile.model_validate_json(content)


def _development(seen: Sequence[Measured]) -> list[tuple[str, ...]]:
    return [m.label for m in seen if isinstance(m.label, tuple) and m.split == "train"]


__all__ = [
    "COMPONENTS",
    "ClassificationProfile",
    "absent",
    "label",
    "label_notes",
    "parse",
    "profile",
    "says",
]
