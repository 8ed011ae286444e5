"""Averages the probabilities of finished attempts, each with its weight.

Members lie in in/members/<attempt>/<fold>/ as their predict jobs left them. A fold's job reads that
fold of every member. The last job, fold `all`, reads every fold: its cases are held out from all.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import SimpleITK as sitk
from volumes import Case, Floats, params, read_as_lps, read_view, write_prediction

MEMBERS = Path("in/members")


def main() -> None:
    """Predict every case of the view from its members."""
    chosen = params()
    weights = {str(name): float(weight) for name, weight in chosen["weights"].items()}
    view = read_view()
    folders = sources(weights)

    for case in view.cases:
        likely = averaged(case, folders, view.ids)
        write_prediction(case, likely, view.ids, one_piece=bool(chosen["one_piece"]))

    print(f"{len(view.cases)} cases from {len(folders)} folders of {len(weights)} members")


def sources(weights: dict[str, float]) -> list[tuple[Path, float]]:
    """Return each folder to read with its weight, in order of attempt and fold."""
    job = json.loads(Path(os.environ["AMID_JOB"]).read_text(encoding="utf-8"))
    fold = str(job["fold"])
    found = []

    for member, weight in sorted(weights.items()):
        folders = sorted(path for path in (MEMBERS / member).iterdir() if path.is_dir())
        folders = [path for path in folders if fold in ("all", path.name)]

        if not folders:
            raise SystemExit(f"member {member} has no predictions for fold {fold}")

        found += [(path, weight / len(folders)) for path in folders]

    return found


def averaged(case: Case, folders: Sequence[tuple[Path, float]], ids: Sequence[int]) -> Floats:
    """Return the weighted mean of the shares that the folders hold for a case."""
    parts = [weight * shares(folder, case, ids) for folder, weight in folders]
    total: Floats = np.sum(parts, axis=0, dtype=np.float32)

    return np.asarray(total / np.maximum(total.sum(axis=0), 1e-6), np.float32)


def shares(folder: Path, case: Case, ids: Sequence[int]) -> Floats:
    """Read the share of each label; a member without probabilities votes with its labels."""
    soft = folder / "probabilities" / f"{case.name}.nii.gz"

    if soft.exists():
        image = sitk.ReadImage(str(soft))
        parts = [sitk.VectorIndexSelectionCast(image, index) for index in range(len(ids))]

        return np.stack([read_as_lps(part) for part in parts]).astype(np.float32) / np.float32(255)

    labels = read_as_lps(sitk.ReadImage(str(folder / "predictions" / f"{case.name}.nii.gz")))

    return np.stack([labels == label for label in ids]).astype(np.float32)


if __name__ == "__main__":
    main()
