"""What a trusted job of the reviewer is given: `job.json`, and documents from the run's blobs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from amid.documents import Case, Inventory, Split
from amid.tasks import kinds
from amid.tasks.contract import Contract
from ledger.blobs import BlobStore
from ledger.errors import LedgerError
from ledger.events.base import Part

Document = TypeVar("Document", bound=BaseModel)


class InputWrong(Exception):
    """A job was started without something it needs; says what, where and what to do."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How the contract wants predictions measured."""

    labels: Mapping[str, int]
    """Those that a prediction may hold."""
    primary: str
    direction: str
    empty: str
    metrics: tuple[str, ...]
    """Primary first."""
    several: bool = False
    """Whether a case may have several of the labels."""
    ignore: int | None = None
    """What hidden labels hold where nobody says what is right."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """A job's documents, read once."""

    run: Path
    kind: str
    """Of the task."""
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
        kind=contract.task.kind,
        rules=rules_of(contract),
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


def rules_of(contract: Contract) -> Rules:
    """Return how a contract wants predictions measured.

    Raises:
        InputWrong: its kind or one of its metrics is not here.
    """
    metric = contract.metric
    names = tuple(dict.fromkeys((metric.primary, *metric.also)))

    if not kinds.is_here(contract.task.kind):
        raise InputWrong(f"task: kind {contract.task.kind!r} is not here: install what brings it")

    asked = kinds.contract_part(contract.task.kind)
    unknown = [name for name in names if asked.direction(name) is None]
    if unknown:
        listed = ", ".join(asked.known())
        raise InputWrong(f"metric: no metric is called {unknown[0]!r}: there are {listed}")

    return Rules(
        labels=contract.predicted,
        ignore=contract.ignore,
        primary=metric.primary,
        direction=metric.direction,
        empty=metric.empty,
        metrics=names,
        several=contract.task.several,
    )
