"""What an owner asks about a case of a report: whose it is, where its files lie, where it stands.

Real names are in the vault alone. Without it, what the ledger's documents say under the alias is
shown.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from amid.cli.folder import Row
from amid.data.vault import AliasedCase, Aliases
from amid.documents import Inventory, Split
from amid.words.sentences import fields_of
from ledger.blobs import BlobStore
from ledger.errors import LedgerError

Document = TypeVar("Document", Inventory, Split)

_DOCUMENTS = {"task.inventory_taken": "inventory", "split.frozen": "split"}


def about(run: Path, past: Iterable[Row], alias: str) -> dict[str, object] | None:
    """Return what is known of a case or a group by its alias; None where there is no such."""
    named = {row.type: str(fields_of(row.body).get(_DOCUMENTS[row.type])) for row in past
             if row.type in _DOCUMENTS}  # fmt: skip
    inventory = _document(run, named.get("task.inventory_taken"), Inventory)
    split = _document(run, named.get("split.frozen"), Split)
    cases = () if inventory is None else inventory.cases
    known = {case.alias: case for case in _aliases(run)}
    case = next((case for case in cases if case.case == alias), None)
    if case is not None:
        told = {"group": case.group, "stands_in": _roles(split, alias), **case.attributes}
        return told | _real(known.get(alias))

    members = [case.case for case in cases if case.group == alias]
    if not members:
        return None

    first = known.get(members[0])
    return {"cases": members, **({"called": first.group_id} if first else {"called": _HIDDEN})}


_HIDDEN = "in the vault, which cannot be read here"


def _real(found: AliasedCase | None) -> dict[str, object]:
    if found is None:
        return {"called": _HIDDEN}

    images: dict[str, object] = {f"image {name}": path for name, path in found.images.items()}
    return {
        "called": found.case,
        "group_called": found.group_id,
        "patient": found.patient,
        **images,
        "label": found.label,
    }


def _roles(split: Split | None, alias: str) -> list[str]:
    if split is None:
        return []

    roles = ["test"] if alias in split.test else ["inner"] if alias in split.inner else []
    for fold in split.folds:
        roles += [f"validation {fold.fold}"] if alias in fold.validation else []
        roles += [f"fit {fold.fold}"] if alias in fold.fit else []

    return roles


def _aliases(run: Path) -> tuple[AliasedCase, ...]:
    try:
        return Aliases.model_validate_json((run / "vault" / "aliases.json").read_bytes()).cases
    except (OSError, ValidationError):
        return ()


def _document(run: Path, digest: str | None, kind: type[Document]) -> Document | None:
    if digest is None:
        return None

    try:
        return kind.model_validate_json(BlobStore(run / "blobs").read(digest))
    except (LedgerError, OSError, ValidationError, ValueError):
        return None


__all__ = ["about"]
