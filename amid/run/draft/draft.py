"""Writes a task folder from a source, all or nothing, and says what was guessed."""

import csv
import io
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from amid.errors import FolderExists, from_os_error
from amid.run.draft import dataset, folder, guess, source
from amid.run.draft.source import FoundCase, Source
from amid.tasks import reading, table

CHECKS = (
    "that cases of one patient have one name in the column `patient`: they stay on one side",
    "label names and numbers under [labels], and the metric",
    "that `test` marks the cases nobody may learn from; their labels stay in the vault",
)
"""What only a person knows."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A written task."""

    task: Path
    data: Path
    """Root of the paths in the table."""
    convention: str
    guessed: Mapping[str, str]
    """What, and as what."""
    remarks: tuple[str, ...]
    check: tuple[str, ...]


def draft(into: Path, place: Path) -> Draft:
    """Write `task.toml` and `cases.csv` into a folder.

    Args:
        into: the task folder; it holds neither file yet.
        place: a folder of images, or the `dataset.json` in it.

    Raises:
        FolderExists: there is a task already.
        DataMissing: the source is of no known kind.
        DataProblems: files that it names are not there.
        TableWrong: names in it are nearly the same, or cannot be file names.
    """
    for name in ("task.toml", "cases.csv"):
        if (into / name).exists():
            raise FolderExists(
                f"{into} holds a {name} already",
                where=str(into / name),
                why="what somebody may have corrected is not written over",
                do="name another folder",
            )

    found = _found(place)
    group, how = guess.patients(found.cases)
    first = guess.opened_volume(found.root / next(iter(found.cases[0].images.values())))
    kept, modality = guess.modality(found, first)
    labels, numbers = guess.labels(found)
    dimensions = 3 if first is None else len(first.geometry.size)
    toml = _toml(found, kept, labels, min(dimensions, 3))
    _write(into, toml, _csv(found, group))
    flat = f"images have {dimensions} dimensions: cut each into one file per channel and time point"
    return Draft(
        task=into,
        data=found.root,
        convention=found.convention,
        guessed={
            "patients": how,
            "modality": modality,
            "labels": numbers,
            "channels": ", ".join(found.channels),
            "test set": _test(found),
        },
        remarks=(*found.remarks, *((flat,) if dimensions > 3 else ())),
        check=CHECKS,
    )


def _found(place: Path) -> Source:
    listed = place / "dataset.json" if place.is_dir() else place
    if listed.is_file() and listed.name.endswith(".json"):
        return dataset.read(listed)

    if not place.is_dir():
        raise source.unreadable(
            place, f"{place} is neither a folder nor a dataset.json", "check it"
        )

    return folder.read(place)


def _test(found: Source) -> str:
    tests = [case for case in found.cases if case.test]
    if not tests:
        return "none: validation on development cases is the only score (write split = test)"

    held = sum(case.label is not None for case in tests)
    if not held:
        return f"{_cases(tests)} without labels: predicted, and not to be scored"

    return f"{_cases(tests)}, {held} of them with labels"


def _cases(tests: list[FoundCase]) -> str:
    return "1 case" if len(tests) == 1 else f"{len(tests)} cases"


def _csv(found: Source, group: Mapping[str, str]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("case", "patient", "split", *found.channels, "label"))
    for case in found.cases:
        writer.writerow(_row(case, group[case.case]))

    return text.getvalue()


def _row(case: FoundCase, patient: str) -> tuple[str, ...]:
    side = "test" if case.test else "train"
    return (case.case, patient, side, *case.images.values(), case.label or "")


def _toml(
    found: Source, modality: tuple[str, ...], labels: Mapping[str, int], dimensions: int
) -> str:
    name = re.sub(r"[^a-z0-9._-]+", "-", found.name.casefold()).strip("-._") or "task"
    lines = "\n".join(f"{_key(label)} = {number}" for label, number in labels.items())
    return f"""\
# Drafted by `amid init` from {found.convention}: correct what was guessed.
# What each key means: docs/case-table.md and examples/hippocampus/task.toml.

[task]
id = {_quoted(name[:63])}
kind = "segmentation"
dimensions = {dimensions}
modality = [{", ".join(map(_quoted, modality))}]

[data]
cases = "cases.csv"        # paths in it start at --data DIR
images = [{", ".join(map(_quoted, found.channels))}]
label = "label"
group = "patient"          # what never stands on two sides of a split

[labels]
{lines}

[metric]
primary = "dice"
direction = "maximize"
also = ["hd95"]

[validation]
scheme = "auto"            # holdout, folds or leave-one-out, by the number of patients

[budget]
wall = "15m"
"""


def _quoted(text: str) -> str:
    return '"' + re.sub(r'[\\\\"]|[^ -~]', "-", text) + '"'


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _write(into: Path, toml: str, rows: str) -> None:
    """Write both files once they are known to be readable; leave nothing otherwise."""
    making = Path(tempfile.mkdtemp(prefix="amid-init-"))
    try:
        (making / "task.toml").write_text(toml, encoding="utf-8")
        (making / "cases.csv").write_text(rows, encoding="utf-8")
        table.read(reading.load(making), making)
        into.mkdir(parents=True, exist_ok=True)
        for name in ("cases.csv", "task.toml"):
            shutil.copyfile(making / name, into / name)
    except OSError as error:
        raise from_os_error(error, doing="writing the task", place=into) from error
    finally:
        shutil.rmtree(making, ignore_errors=True)


__all__ = ["Draft", "draft"]
