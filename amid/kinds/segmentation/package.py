"""What is handed in of a segmentation: a label map for each case, and an index of them."""

import csv
import io
from collections.abc import Mapping, Sequence

from amid.package.gather import IncompleteError, Read
from amid.package.kind import Source, Stored
from amid.tasks.contract import Contract
from runtime.jobspec import is_inside
from runtime.ports import OutputFile

SUFFIXES = (".nii.gz", ".nii", ".mha", ".nrrd")
ANSWER: Mapping[str, str] = {
    "form": "file-per-case",
    "path": "predictions/{case}.nii.gz",
    "name": "{case}.nii.gz",
}

_FOLDER = "predictions/"
_SUFFIX = ".nii.gz"
"""How every predict job names the label map of a case: `predictions/<alias>.nii.gz`."""


def predictions(files: Sequence[OutputFile], read: Read) -> Mapping[str, OutputFile]:
    """Return the label map of each case."""
    del read
    return {
        file.path.removeprefix(_FOLDER).removesuffix(_SUFFIX): file
        for file in files
        if file.path.startswith(_FOLDER) and file.path.endswith(_SUFFIX)
    }


def submission(
    contract: Contract,
    predictions: Mapping[str, OutputFile],
    cases: Mapping[str, str],
    read: Read,
) -> Mapping[str, Source]:
    """Return the label maps under their contracted names, and the index."""
    del read
    wanted = contract.submission
    unknown = [alias for alias in predictions if alias not in cases]
    paths = {
        alias: wanted.path.replace("{case}", cases[alias])
        for alias in predictions
        if alias in cases
    }
    unfit = [a for a, path in paths.items() if not is_inside(path) or "/" in cases[a]]
    taken = len(set(paths.values())) < len(paths)
    missing = [f"real id of test case {alias}" for alias in unknown]
    missing += [f"real id of test case {alias} that can stand in a file name" for alias in unfit]
    missing += ["distinct file names for the test cases"] if taken else []
    missing += [] if wanted.path.endswith(_SUFFIX) else [f"predictions as {wanted.path}"]
    if missing:
        raise IncompleteError(missing)

    by_id = sorted(paths, key=lambda alias: cases[alias])
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow([wanted.columns.case, wanted.columns.path])
    rows.writerows([cases[alias], paths[alias]] for alias in by_id)

    maps: dict[str, Source] = {paths[alias]: Stored(predictions[alias].digest) for alias in by_id}
    return {wanted.index: table.getvalue().encode(), **maps}


__all__ = ["ANSWER", "SUFFIXES", "predictions", "submission"]
