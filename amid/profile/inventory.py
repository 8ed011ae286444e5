"""Takes stock of the data: reads, hashes, checks and measures every file once, before any job.

Whatever is wrong with any file is collected, so that one run of the program names all of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from blake3 import blake3

from amid.data import aliases, raw
from amid.data.image import Unreadable, Volume, canonical_hash, decoded_hash, header_hash, read
from amid.data.raw import Defect
from amid.data.vault import AliasedCase, Aliases, Vault
from amid.documents import Case, Geometry, ImageFile, Inventory
from amid.errors import DataMissing, DataProblems, Problem
from amid.profile import measure
from amid.profile.links import Link, find
from amid.tasks import files
from amid.tasks.contract import Contract
from amid.tasks.table import Row, Table


@dataclass(frozen=True, slots=True)
class Measured:
    """What one case showed while it was read."""

    case: str
    split: str
    intensity: Mapping[str, measure.Intensity]
    """Channel to grey values."""
    label: measure.Labelled | None


@dataclass(frozen=True, slots=True)
class Taken:
    """The inventory, and what else one reading of all files brought to light."""

    inventory: Inventory
    measured: tuple[Measured, ...]
    """Sorted by alias, like the inventory."""
    links: tuple[Link, ...]
    notes: tuple[str, ...]
    """Sentences about what is odd but no reason to stop."""
    aliases: Mapping[str, str]
    """Real case id to alias; for the vault and for given splits only."""
    groups: Mapping[str, str]
    """Real group id to alias."""


@dataclass(slots=True)
class _Desk:
    """What a case is read with, and where its problems go."""

    contract: Contract
    data: Path
    vault: Vault
    problems: list[tuple[int, Problem]] = field(default_factory=list)
    """With the line of the table, for the order in which people read them."""

    def refuse(self, row: Row, path: str | None, defect: Defect, *, missing: bool = False) -> None:
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

    def decode(self, row: Row, path: str, content: bytes, copy: Path | None) -> Volume | None:
        """Return a decoded file, or None after noting why it cannot be."""
        kind = raw.suffix(path)
        if kind is None:
            says = "has a suffix that is not supported"
            self.refuse(row, path, Defect("suffix", says, f"use {', '.join(raw.SUFFIXES)}"))
            return None

        broken = raw.defect(content, kind)
        if broken is not None:
            self.refuse(row, path, broken)
            return None

        try:
            return read(copy or self.data / path)
        except Unreadable as error:
            self.refuse(row, path, Defect("unreadable", str(error), "write the file anew"))
            return None


def take(contract: Contract, table: Table, data_root: Path, *, seed: int, vault: Vault) -> Taken:
    """Read every file of the table once, put all labels into the vault, and seal it.

    Raises:
        DataMissing: there is no folder `data_root`.
        DataProblems: files are missing, unreadable, or contradict the contract or each other.
    """
    _require_folder(data_root)
    desk = _Desk(contract, data_root, vault)
    names = aliases.deal((row.case for row in table.rows), prefix="c", seed=seed)
    groups = aliases.deal((row.group for row in table.rows), prefix="g", seed=seed)
    rows = sorted(table.rows, key=lambda row: names[row.case])

    cases: list[Case] = []
    seen: list[Measured] = []
    for row in rows:
        found = _case(desk, row, alias=names[row.case], group=groups[row.group])
        if found is not None:
            cases.append(found[0])
            seen.append(found[1])

    if desk.problems:
        problems = [p for _, p in sorted(desk.problems, key=lambda found: found[0])]
        raise DataProblems(problems, where=f"{data_root}, as listed in {table.name}")

    inventory = Inventory(cases=tuple(cases))
    vault.seal(_alias_table(data_root, rows, names, groups))
    links, notes = find(inventory, constant=_constant(seen))
    return Taken(
        inventory=inventory,
        measured=tuple(seen),
        links=links,
        notes=(*table.notes, *_notes(inventory, seen, contract), *notes),
        aliases=names,
        groups=groups,
    )


def _require_folder(data_root: Path) -> None:
    if not data_root.is_dir():
        raise DataMissing(
            f"the data folder {data_root} is not there",
            where=str(data_root),
            why="the paths of the case table start there",
            do="name the folder with --data DIR",
        )


def _case(desk: _Desk, row: Row, *, alias: str, group: str) -> tuple[Case, Measured] | None:
    before = len(desk.problems)
    images: list[ImageFile] = []
    intensity: dict[str, measure.Intensity] = {}

    for channel, path in row.images.items():
        found = _image(desk, row, channel, path)
        if found is not None:
            images.append(found[0])
            intensity[channel] = found[1]

    grid = images[0].geometry if len(images) == len(row.images) else None
    commitment, suffix, label = _label(desk, row, alias, grid)
    if len(desk.problems) > before:
        return None

    case = Case(
        case=alias,
        group=group,
        split=row.split,
        attributes=dict(row.attributes),
        images=tuple(images),
        label="present" if commitment else "missing",
        label_suffix=suffix,
        label_commitment=commitment,
    )
    return case, Measured(case=alias, split=row.split, intensity=intensity, label=label)


def _image(
    desk: _Desk, row: Row, channel: str, path: str
) -> tuple[ImageFile, measure.Intensity] | None:
    content = desk.load(row, path)
    volume = desk.decode(row, path, content, None) if content is not None else None
    if content is None or volume is None:
        return None

    defect = measure.image_defect(volume, desk.contract.task.dimensions)
    if defect is not None:
        desk.refuse(row, path, defect)
        return None

    image = ImageFile(
        channel=channel,
        raw=blake3(content).hexdigest(),
        decoded=decoded_hash(volume),
        canonical=canonical_hash(volume),
        header=header_hash(volume.geometry),
        geometry=volume.geometry,
        suffix=raw.suffix(path) or "",
    )
    return image, measure.intensity(volume)


def _label(
    desk: _Desk, row: Row, alias: str, grid: Geometry | None
) -> tuple[str | None, str, measure.Labelled | None]:
    """Return commitment, suffix and measures of a case's label; nothing where there is none."""
    if row.label is None:
        if row.split == "train":
            none = Defect("missing-label", "has no label", "fill in its cell or drop the case")
            desk.refuse(row, None, none, missing=True)
        return None, "", None

    content = desk.load(row, row.label)
    suffix = raw.suffix(row.label) or ""
    if content is None:
        return None, suffix, None

    copy = desk.vault.put_label(alias, suffix, content)
    volume = desk.decode(row, row.label, content, copy)
    if volume is None:
        return None, suffix, None

    defect = None if grid is None else measure.grid_defect(volume.geometry, grid)
    numbers = defect or measure.label_ids(volume, desk.contract.labels)
    if isinstance(numbers, Defect):
        desk.refuse(row, row.label, numbers)
        return None, suffix, None

    found = measure.labelled(numbers, desk.contract.foreground)
    return desk.vault.commit(f"label/{alias}", content), suffix, found


def _alias_table(
    data_root: Path, rows: list[Row], names: Mapping[str, str], groups: Mapping[str, str]
) -> Aliases:
    return Aliases(
        data=str(data_root.resolve()),
        cases=tuple(
            AliasedCase(
                alias=names[row.case],
                case=row.case,
                group=groups[row.group],
                group_id=row.group,
                patient=row.patient,
                images=dict(row.images),
                label=row.label,
            )
            for row in rows
        ),
    )


def _constant(seen: list[Measured]) -> frozenset[str]:
    return frozenset(m.case for m in seen if any(i.constant for i in m.intensity.values()))


def _notes(inventory: Inventory, seen: list[Measured], contract: Contract) -> tuple[str, ...]:
    notes: list[str] = []
    unlabelled = [case for case in inventory.cases if case.label == "missing"]
    if unlabelled:
        notes.append(f"{len(unlabelled)} test cases have no label: they cannot be scored")

    flat = sorted(_constant(seen))
    if flat:
        notes.append(f"{len(flat)} cases hold one grey value only: {', '.join(flat[:5])}")

    grids = [
        case.case
        for case in inventory.cases
        if any(measure.grid_defect(i.geometry, case.images[0].geometry) for i in case.images[1:])
    ]
    if grids:
        notes.append(f"in {len(grids)} cases the channels stand on different grids")

    for name in contract.foreground:
        without = [m for m in seen if m.label is not None and m.label.fraction[name] == 0]
        if without:
            notes.append(f"label {name} is empty in {len(without)} cases")

    return tuple(notes)


__all__ = ["Measured", "Taken", "take"]
