"""Reads a split that somebody else made: nnU-Net's `splits_final.json`."""

import difflib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from amid.data.split import Given
from amid.errors import SplitWrong, TaskMissing, from_os_error
from amid.tasks import files
from amid.tasks.table import Table

_FORM = TypeAdapter(list[dict[str, list[str]]])


def read(path: Path, table: Table, aliases: Mapping[str, str]) -> tuple[Given, ...]:
    """Return the folds of a file as aliases.

    Raises:
        TaskMissing: the file is not there.
        SplitWrong: it has another form, or names cases that are not development cases.
    """
    folds = _parse(path)
    known = {row.case for row in table.rows if row.split == "train"}
    hidden = {row.case for row in table.rows if row.split == "test"}
    problems: list[str] = []

    for number, fold in enumerate(folds, start=1):
        for side in ("train", "val"):
            for case in fold[side]:
                if case in hidden:
                    problems.append(f"fold {number}, {side}: {case} is a test case of the table")
                elif case not in known:
                    near = difflib.get_close_matches(case, known, n=1)
                    hint = f"; did you mean {near[0]}?" if near else ""
                    problems.append(f"fold {number}, {side}: {case} is not in the table{hint}")

    if problems:
        if len(problems) == 1:
            raise _wrong(path, problems[0])

        raise _wrong(path, f"{len(problems)} cases do not fit", problems)

    return tuple(
        Given(
            fit=tuple(sorted(aliases[case] for case in fold["train"])),
            validation=tuple(sorted(aliases[case] for case in fold["val"])),
        )
        for fold in folds
    )


def _parse(path: Path) -> list[dict[str, list[str]]]:
    try:
        folds = _FORM.validate_python(json.loads(files.read(path)), strict=True)
    except (FileNotFoundError, NotADirectoryError):
        raise TaskMissing(
            f"the split file {path.name} is not there",
            where=str(path),
            why='scheme = "file" takes fit and validation from it',
            do='put it into the task folder, or write scheme = "auto"',
        ) from None
    except OSError as error:
        raise from_os_error(error, doing="reading the split file", place=path) from error
    except (ValueError, ValidationError):
        folds = []

    if not folds or any(set(fold) != {"train", "val"} for fold in folds):
        raise _wrong(path, f'{path.name} is not a list of {{"train": [...], "val": [...]}}')

    return folds


def _wrong(path: Path, what: str, listed: Sequence[str] = ()) -> SplitWrong:
    return SplitWrong(
        what,
        listed=listed,
        where=str(path),
        why="a case that is misread stands on a side that nobody chose",
        do="correct the file: case ids as in the table, development cases only",
    )


__all__ = ["read"]
