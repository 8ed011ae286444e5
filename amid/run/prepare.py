"""Turns a task folder into the first facts of a run: contract, inventory, vault, profile, split.

Nothing here is a job: whatever is wrong with task or data is an error now, and leaves no vault.
"""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import orjson

from amid.data import given, split
from amid.data.vault import Vault
from amid.documents import Inventory, Profile, Split
from amid.errors import GroupLeak, from_os_error
from amid.profile import inventory as stock
from amid.profile.inventory import Taken
from amid.profile.kind import profile_part
from amid.profile.links import across
from amid.profile.notes import constant
from amid.tasks import canonical, reading, table
from amid.tasks.contract import Contract
from amid.tasks.table import Table
from ledger.events.base import Fact
from ledger.events.data import (
    DataProfiled,
    DataSealed,
    FoldSize,
    InventoryTaken,
    SplitFrozen,
    SuspectedLink,
    TaskAgreed,
)
from runtime.ports import PutBlob


@dataclass(frozen=True, slots=True)
class Prepared:
    """A task ready to be run."""

    facts: tuple[Fact, ...]
    """In the order in which they are to be appended."""
    contract: Contract
    inventory: Inventory
    split: Split
    profile: Profile
    vault: Path
    units: int
    """Planned seconds of one core."""


def prepare(
    task_dir: Path,
    data: Path | None,
    making: Path,
    seed: int,
    put: PutBlob,
    *,
    cores: int,
    wall: int | None = None,
    secret: bytes | None = None,
) -> Prepared:
    """Read, check, profile and divide a task, and make the vault `making/vault`.

    Args:
        task_dir: folder with `task.toml`.
        data: root of the paths in the case table; the task folder where it is None.
        making: existing folder that will become the run.
        seed: of the run; it decides aliases and split.
        put: stores a blob.
        cores: that the run may use.
        wall: seconds that replace the contract's budget.
        secret: of the vault, for tests; drawn from the system where it is None.

    Raises:
        AmidError: a leaf of `amid.errors`; nothing is left under `making/vault` then.
    """
    contract = reading.load(task_dir)
    reading.require_supported(contract)
    rows = table.read(contract, task_dir)
    root = data if data is not None else task_dir
    folder = making / "vault"

    try:
        vault = Vault.create(folder, secret)
    except OSError as error:
        raise from_os_error(error, doing="making the vault", place=folder) from error

    try:
        taken = stock.take(contract, rows, root, seed=seed, vault=vault)
        dealt = _deal(task_dir, contract, rows, taken, seed)
        found = profile_part(contract.task.kind).profile(contract, taken)
        units = (wall if wall is not None else contract.budget.wall_seconds) * cores
        facts = tuple(_facts(contract, taken, found, dealt, seed=seed, units=units, put=put))
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise from_os_error(error, doing="preparing the run", place=making) from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise

    return Prepared(
        facts=facts,
        contract=contract,
        inventory=taken.inventory,
        split=dealt.split,
        profile=found,
        vault=folder,
        units=units,
    )


def _deal(task_dir: Path, contract: Contract, rows: Table, taken: Taken, seed: int) -> split.Dealt:
    file = contract.validation.file
    folds = given.read(task_dir / file, rows, taken.aliases) if file is not None else ()
    names = {alias: f"case {case}" for case, alias in taken.aliases.items()}
    column = contract.data.group
    names |= {alias: f"{column} {group}" for group, alias in taken.groups.items()}
    dealt = split.deal(taken.inventory, contract, seed, given=folds, names=names)
    _require_apart(taken, dealt.split, names)
    return dealt


def _require_apart(taken: Taken, parts: Split, names: Mapping[str, str]) -> None:
    """Stop before anything is trained where one image stands on two sides of the split."""
    twins = across(taken.inventory, parts, constant=constant(taken.measured))
    if not twins:
        return

    lines = [f"{names[one]} and {names[other]}: {sides}" for one, other, sides in twins]
    many = f"{len(lines)} pairs of cases hold one image on two sides of the split"
    raise GroupLeak(
        f"one image on two sides of the split: {lines[0]}" if len(lines) == 1 else many,
        listed=lines if len(lines) > 1 else (),
        where="the images of the case table, compared voxel by voxel",
        why="the reviewer would reject every attempt: the answer was seen",
        do="take one of each pair out of the table, or give both the same patient and split",
    )


def _facts(
    contract: Contract,
    taken: Taken,
    found: Profile,
    dealt: split.Dealt,
    *,
    seed: int,
    units: int,
    put: PutBlob,
) -> Iterator[Fact]:
    inventory = taken.inventory
    labelled = {
        f"label/{case.case}": case.label_commitment
        for case in inventory.cases
        if case.label_commitment is not None
    }
    yield TaskAgreed(
        task=contract.task.id,
        kind=contract.task.kind,
        contract=put(contract.to_bytes()),
        metric=contract.metric.primary,
        direction=contract.metric.direction,
        looks=contract.validation.looks,
        units=units,
        attempts=contract.budget.attempts,
    )
    yield InventoryTaken(
        inventory=put(canonical.to_bytes(inventory)),
        cases=len(inventory.cases),
        groups=len(taken.groups),
        images=sum(len(case.images) for case in inventory.cases),
        labels=len(labelled),
        problems=taken.notes,
        voxels=sum(prod(case.images[0].geometry.size) for case in inventory.cases),
    )
    yield DataSealed(
        commitments=put(orjson.dumps(labelled, option=orjson.OPT_SORT_KEYS)),
        labels=len(labelled),
        says="all labels, the alias table and the salts; only the reviewer opens the vault",
    )
    yield DataProfiled(
        profile=put(canonical.to_bytes(found)), says=profile_part(contract.task.kind).says(found)
    )
    yield _frozen(dealt, inventory, seed, put)

    for link in taken.links:
        yield SuspectedLink(first=link.first, second=link.second, evidence=link.evidence)


def _frozen(dealt: split.Dealt, inventory: Inventory, seed: int, put: PutBlob) -> SplitFrozen:
    parts = dealt.split
    return SplitFrozen(
        scheme=dealt.scheme,
        seed=seed,
        split=put(canonical.to_bytes(parts)),
        folds=tuple(
            FoldSize(fold=fold.fold, fit=len(fold.fit), validation=len(fold.validation))
            for fold in parts.folds
        ),
        groups=len({case.group for case in inventory.cases if case.split == "train"}),
        inner=len(parts.inner),
        test=len(parts.test),
        findings=dealt.findings,
    )


__all__ = ["Prepared", "prepare"]
