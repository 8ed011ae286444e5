"""What the decoder left of tables of probabilities: numbers, and what became of every row."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from amid.documents import Case
from amid.kinds.classification.checks.evidence import Answer
from amid.review.checks.evidence import Extra, FileStatus
from amid.review.checks.evidence import Part as Side
from amid.review.kind import Seen
from amid.review.measure.inputs import InputWrong

Shares = NDArray[np.float64]
"""A probability per class, in the order of the classes' numbers."""


_STATUS: Mapping[str, FileStatus] = {"ok": "ok", "not-finite": "not-finite", "corrupt": "corrupt"}


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class _Row(_Entry):
    case: str
    status: Literal["ok", "twice", "unknown", "corrupt", "not-finite"]
    reason: str
    values: tuple[float, ...] = ()


class _Extra(_Entry):
    name: str
    kind: Literal["file", "folder", "symlink", "other"]


class _Fold(_Entry):
    fold: str
    files: tuple[_Row, ...] = Field(default=())
    extras: tuple[_Extra, ...] = Field(default=())
    columns: tuple[str, ...] = ()
    says: str = ""


class _Index(_Entry):
    schema_: Literal["decoded/1"] = Field(alias="schema")
    folds: tuple[_Fold, ...]


class Tables:
    """The output folder of a decode job."""

    def __init__(self, folder: Path) -> None:
        try:
            text = (folder / "index.json").read_text("utf-8")
        except OSError as trouble:
            raise InputWrong(f"{folder}/index.json cannot be read: {trouble.strerror}") from trouble

        try:
            self._folds = {fold.fold: fold for fold in _Index.model_validate_json(text).folds}
        except ValidationError as trouble:
            raise InputWrong(
                f"{folder}/index.json is not a decoder's index: {trouble}"
            ) from trouble

        self._rows: Mapping[tuple[str, str], _Row] = {
            (name, row.case): row
            for name, fold in self._folds.items()
            for row in fold.files
            if row.status not in ("twice", "unknown")
        }
        self._twice = {
            (name, row.case)
            for name, fold in self._folds.items()
            for row in fold.files
            if row.status == "twice"
        }

    @property
    def folds(self) -> tuple[str, ...]:
        """Names of the folds whose predictions were decoded."""
        return tuple(self._folds)

    def extras(self) -> Iterator[Extra]:
        """Yield the files beside the tables, and rows of no case."""
        for name, fold in self._folds.items():
            for extra in fold.extras:
                yield Extra(name, extra.name, extra.kind)

            for row in fold.files:
                if row.status == "unknown":
                    yield Extra(name, f"row {row.case}", "other")

    def look(self, fold: str, case: Case, part: Side) -> Seen:
        """Look at the row of a case in a fold's table."""
        table = self._folds.get(fold)
        columns = table.columns if table else ()
        row = self._rows.get((fold, case.case))
        if row is None:
            reason = table.says if table else "there is no table"
            missing = Answer(
                fold, case.case, part, "missing", reason, foreground=0, columns=columns
            )
            return Seen(missing, None)

        answer = Answer(
            fold,
            case.case,
            part,
            _STATUS[row.status],
            row.reason,
            payload=payload(row.values) if row.status == "ok" else "",
            columns=columns,
            values=row.values,
            twice=(fold, case.case) in self._twice,
        )
        usable = row.status == "ok" and answer.usable
        return Seen(answer, np.asarray(row.values, np.float64) if usable else None)


def payload(values: tuple[float, ...]) -> str:
    """Return the digest of a row of probabilities."""
    return blake3(np.asarray(values, "<f8").tobytes()).hexdigest()


__all__ = ["Shares", "Tables", "payload"]
