"""What is handed in of a classification: one table with a row for each case."""

import csv
import io
from collections.abc import Mapping, Sequence

from amid.package.gather import IncompleteError, Read
from amid.package.kind import Source
from amid.tasks.contract import Contract
from runtime.ports import OutputFile

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".nii.gz", ".nii", ".mha", ".nrrd")
ANSWER: Mapping[str, str] = {
    "form": "table",
    "path": "predictions/predictions.csv",
    "name": "predictions.csv",
}


def predictions(files: Sequence[OutputFile], read: Read) -> Mapping[str, OutputFile]:
    """Return the table under the name of every case that it answers."""
    table = next((file for file in files if file.path == ANSWER["path"]), None)
    return {} if table is None else dict.fromkeys(_rows(read(table.digest)), table)


def submission(
    contract: Contract,
    predictions: Mapping[str, OutputFile],
    cases: Mapping[str, str],
    read: Read,
) -> Mapping[str, Source]:
    """Return the table with real ids, rows in the order of these."""
    unknown = [alias for alias in predictions if alias not in cases]
    if unknown:
        raise IncompleteError([f"real id of test case {alias}" for alias in unknown])

    rows: dict[str, list[str]] = {}
    for table in {file.digest: file for file in predictions.values()}.values():
        rows |= _rows(read(table.digest))

    names = sorted(contract.labels, key=lambda name: contract.labels[name])
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow([contract.submission.columns.case, *names])
    out.writerows(
        [cases[alias], *rows[alias]] for alias in sorted(predictions, key=lambda a: cases[a])
    )
    return {contract.submission.index: text.getvalue().encode()}


def _rows(content: bytes) -> dict[str, list[str]]:
    _, *rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
    return {row[0]: row[1:] for row in rows if row}


__all__ = ["ANSWER", "SUFFIXES", "predictions", "submission"]
