"""Takes stock of the data: reads, hashes, checks and measures every file once, before any job.

Whatever is wrong with any file is collected, so that one run of the program names all of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from amid.data import aliases, raw
from amid.data.image import canonical_hash, decoded_hash, header_hash
from amid.data.raw import Defect
from amid.data.vault import AliasedCase, Aliases, Vault
from amid.documents import Case, Geometry, ImageFile, Inventory
from amid.errors import DataMissing, DataProblems
from amid.profile import measure
from amid.profile.desk import Desk
from amid.profile.kind import profile_part
from amid.profile.links import Link, find
from amid.profile.measure import Measured
from amid.profile.notes import constant, notes, unlabelled
from amid.profile.place import Place
from amid.tasks.contract import Contract
from amid.tasks.table import Row, Table


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


def take(contract: Contract, table: Table, data_root: Path, *, seed: int, vault: Vault) -> Taken:
    """Read every file of the table once, put all labels into the vault, and seal it.

    Raises:
        DataMissing: there is no folder `data_root`.
        DataProblems: files are missing, unreadable, or contradict the contract or each other.
    """
    _require_folder(data_root)
    desk = Desk(contract, data_root, vault)
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

    asked = profile_part(contract.task.kind)
    absent = list(asked.absent(seen, contract))
    if absent:
        raise DataProblems(absent, where=f"{data_root}, as listed in {table.name}")

    inventory = Inventory(cases=tuple(cases))
    vault.seal(_alias_table(data_root, rows, names, groups))
    links, same = find(inventory, constant=constant(seen))
    return Taken(
        inventory=inventory,
        measured=tuple(seen),
        links=links,
        notes=(
            *table.notes,
            *unlabelled(inventory),
            *asked.label_notes(seen, contract),
            *notes(inventory, seen),
            *same,
        ),
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


def _case(desk: Desk, row: Row, *, alias: str, group: str) -> tuple[Case, Measured] | None:
    before = len(desk.problems)
    images: list[ImageFile] = []
    intensity: dict[str, measure.Intensity] = {}
    places: dict[str, Place] = {}

    for channel, path in row.images.items():
        found = _image(desk, row, channel, path)
        if found is not None:
            images.append(found[0])
            intensity[channel], places[channel] = found[1:]

    whole = len(images) == len(row.images)
    like = (images[0].geometry, places[images[0].channel]) if whole else None
    commitment, suffix, label = _label(desk, row, alias, like)
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
    seen = Measured(case=alias, split=row.split, intensity=intensity, places=places, label=label)
    return case, seen


def _image(
    desk: Desk, row: Row, channel: str, path: str
) -> tuple[ImageFile, measure.Intensity, Place] | None:
    content = desk.load(row, path)
    opened = desk.decode(row, path, content, None) if content is not None else None
    if content is None or opened is None:
        return None

    volume = opened.volume
    defect = measure.image_defect(
        volume,
        desk.contract.task.dimensions,
        profile_part(desk.contract.task.kind).COMPONENTS,
    )
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
    return image, measure.intensity(volume), opened.place


def _label(
    desk: Desk, row: Row, alias: str, like: tuple[Geometry, Place] | None
) -> tuple[str | None, str, object]:
    """Return commitment, suffix and what a case's label holds; nothing where there is none."""
    if row.label is None:
        if row.split == "train":
            none = Defect("missing-label", "has no label", "fill in its cell or drop the case")
            desk.refuse(row, None, none, missing=True)
        return None, "", None

    found = profile_part(desk.contract.task.kind).label(desk, row, alias, like)
    if found is None:
        return None, "", None

    return desk.vault.commit(f"label/{alias}", found.content), found.suffix, found.holds


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


__all__ = ["Taken", "take"]
