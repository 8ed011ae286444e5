"""What a trusted job of the reviewer is given: `job.json`, and documents from the run's blobs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from amid.documents import Case, Inventory, Split
from amid.metrics.registry import metric as known_metric
from amid.tasks.contract import Contract
from ledger.blobs import BlobStore
from ledger.errors import LedgerError
from ledger.events.base import Part

BACKGROUND = 0
"""The contract demands `background = 0`."""

Document = TypeVar("Document", bound=BaseModel)


class InputWrong(Exception):
    """A job was started without something it needs; says what, where and what to do."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How the contract wants predictions measured."""

    labels: Mapping[str, int]
    primary: str
    direction: str
    empty: str
    metrics: tuple[str, ...]
    """Primary first."""

    @property
    def foreground(self) -> dict[str, int]:
        """Labels without background, by number."""
        pairs = sorted(self.labels.items(), key=lambda pair: pair[1])
        return {name: number for name, number in pairs if number != BACKGROUND}


@dataclass(frozen=True, slots=True)
class Inputs:
    """A job's documents, read once."""

    run: Path
    rules: Rules
    inventory: Inventory
    split: Split
    private: Mapping[str, str]

    @property
    def cases(self) -> dict[str, Case]:
        """Cases by alias."""
        return {case.case: case for case in self.inventory.cases}


def read_inputs(job: Path) -> Inputs:
    """Read `job.json` and the documents it names.

    Raises:
        InputWrong: a key, a blob or a convention is missing or unknown.
    """
    told = json.loads(job.read_text("utf-8"))
    private = {str(k): str(v) for k, v in dict(told.get("private", {})).items()}
    run = Path(need(private, "run"))
    contract = document(run, need(private, "contract"), Contract)
    return Inputs(
        run=run,
        rules=_rules(contract),
        inventory=document(run, need(private, "inventory"), Inventory),
        split=document(run, need(private, "split"), Split),
        private=private,
    )


def need(private: Mapping[str, str], key: str) -> str:
    """Return a key of the job's private part."""
    if not private.get(key):
        raise InputWrong(
            f"job.json: `private` has no {key!r}; the runtime lays it out, start again"
        )

    return private[key]


def read_blob(run: Path, digest: str) -> bytes:
    """Return a blob of the run, checked against its name."""
    try:
        return BlobStore(run / "blobs").read(digest)
    except LedgerError as trouble:
        raise InputWrong(f"blob {digest[:12]} cannot be read: {trouble}") from trouble


def document(run: Path, digest: str, kind: type[Document]) -> Document:
    """Read a blob as a document."""
    try:
        return kind.model_validate_json(read_blob(run, digest))
    except ValidationError as trouble:
        raise InputWrong(f"blob {digest[:12]} is no {kind.__name__}: {trouble}") from trouble


def write_json(path: Path, value: object) -> None:
    """Write canonical JSON: sorted keys, no spaces, no NaN."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    path.write_text(text, "utf-8")


def dumped(part: Part) -> object:
    """Return a document as plain JSON values."""
    return part.model_dump(mode="json")


def _rules(contract: Contract) -> Rules:
    metric = contract.metric
    names = tuple(dict.fromkeys((metric.primary, *metric.also)))

    for name in names:
        try:
            known_metric(name)
        except KeyError as trouble:
            raise InputWrong(f"metric: {trouble.args[0]}") from trouble

    return Rules(
        labels=contract.labels,
        primary=metric.primary,
        direction=metric.direction,
        empty=metric.empty,
        metrics=names,
    )
