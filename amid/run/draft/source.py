"""What a folder of images turns out to hold, whichever convention it follows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from amid.data import raw
from amid.errors import DataMissing, DataProblems, Problem

IGNORED = frozenset(("__MACOSX", "@eaDir"))


@dataclass(frozen=True, slots=True)
class FoundCase:
    """One case: paths are relative to the source folder."""

    case: str
    images: Mapping[str, str]
    """Channel to path."""
    label: str | None
    test: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A folder that was understood."""

    root: Path
    convention: str
    """Such as `nnU-Net dataset.json, version 2`."""
    name: str
    cases: tuple[FoundCase, ...]
    labels: Mapping[str, int] = field(default_factory=dict)
    """Name to number where the source says so; empty where the masks must tell."""
    modality: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    """What a person should know of how the source was read."""

    @property
    def channels(self) -> tuple[str, ...]:
        """Return the channels in order."""
        return tuple(self.cases[0].images)


def volumes(folder: Path) -> list[Path]:
    """Return the files below a folder that may be volumes, sorted; hidden ones are left out."""
    return sorted(
        path
        for path in folder.rglob("*")
        if raw.suffix(path.name) is not None
        and path.is_file()
        and not any(
            part.startswith(".") or part in IGNORED for part in path.relative_to(folder).parts
        )
    )


def stem(name: str) -> str:
    """Return a file's name without its image suffix."""
    suffix = raw.suffix(name)
    return name[: -len(suffix)] if suffix else name


def unreadable(root: Path, what: str, do: str) -> DataMissing:
    """Return the error for a folder that is of no known kind."""
    return DataMissing(
        what,
        where=str(root),
        why="a task is drafted from an nnU-Net or Decathlon folder, or from images and masks whose "
        "names match",
        do=do,
    )


def require(missing: Iterable[tuple[str, str]], root: Path) -> None:
    """Raise DataProblems for (file, whose) pairs that are named and are not there."""
    problems = [
        Problem(
            "missing-file", f"case {case}, {path}", "is not there", "copy it there", missing=True
        )
        for path, case in missing
    ]
    if problems:
        raise DataProblems(problems, where=str(root))


__all__ = ["FoundCase", "Source", "require", "stem", "unreadable", "volumes"]
