"""Opens the files of the case table one by one, and collects what is wrong with any of them."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from amid.data import form, raw
from amid.data.image import Unreadable, Volume, read
from amid.data.raw import Defect
from amid.data.vault import Vault
from amid.errors import Problem
from amid.profile import place
from amid.profile.place import Place
from amid.tasks import files
from amid.tasks.contract import Contract
from amid.tasks.table import Row


@dataclass(frozen=True, slots=True)
class Opened:
    """One file, decoded."""

    volume: Volume
    place: Place


@dataclass(slots=True)
class Desk:
    """What a case is read with, and where its problems go."""

    contract: Contract
    data: Path
    vault: Vault
    problems: list[tuple[int, Problem]] = field(default_factory=list)
    """With the line of the table, for the order in which people read them."""

    def refuse(self, row: Row, path: str | None, defect: Defect, *, missing: bool = False) -> None:
        """Note what is wrong with a file, or with a case."""
        where = f"line {row.number}, case {row.case}" + (f", {path}" if path else "")
        problem = Problem(
            code=defect.code, where=where, says=defect.says, do=defect.do, missing=missing
        )
        self.problems.append((row.number, problem))

    def load(self, row: Row, path: str) -> bytes | None:
        """Return a file's bytes, or None after noting why there are none."""
        try:
            return files.read(self.data / path)
        except (FileNotFoundError, NotADirectoryError):
            gone = Defect("missing-file", "is not there", "copy it there or correct the path")
            self.refuse(row, path, gone, missing=True)
        except OSError as error:
            says = f"cannot be read: {(error.strerror or str(error)).lower()}"
            self.refuse(row, path, Defect("unreadable", says, "correct path or permissions"))

        return None

    def decode(self, row: Row, path: str, content: bytes, copy: Path | None) -> Opened | None:
        """Return a decoded file, or None after noting why it cannot be."""
        kind = raw.suffix(path)
        if kind is None:
            says = "has a suffix that is not supported"
            self.refuse(row, path, Defect("suffix", says, f"use {', '.join(raw.SUFFIXES)}"))
            return None

        found = place.of(content, kind)
        broken = raw.defect(content, kind) or place.skew_defect(found, path)
        if broken is not None:
            self.refuse(row, path, broken)
            return None

        try:
            return Opened(_read(copy or self.data / path, content, kind), found)
        except Unreadable as error:
            self.refuse(row, path, Defect("unreadable", str(error), "write the file anew"))
            return None


def _read(path: Path, content: bytes, kind: str) -> Volume:
    """Decode what the format means by a file, which may differ from what ITK makes of it."""
    meant = form.as_read(content, kind)
    if meant is content:
        return read(path)

    with tempfile.NamedTemporaryFile(suffix=kind) as file:  # of mode 0600, as the vault's
        file.write(meant)
        file.flush()
        return read(Path(file.name))


__all__ = ["Desk", "Opened"]
