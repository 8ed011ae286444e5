"""Averages the probabilities of finished attempts, each with its weight.

Members lie in in/members/<attempt>/<fold>/ as their predict jobs left them. A fold's job reads that
fold of every member. The last job, fold `all`, reads every fold: its cases are held out from all.
"""

import json
import os
from pathlib import Path

import numpy as np
from cases import params, read_predictions, read_view, write_predictions

MEMBERS = Path("in/members")


def main() -> None:
    """Predict every case of the view from its members."""
    weights = {str(name): float(weight) for name, weight in params()["weights"].items()}
    view = read_view()
    found = sources(weights)
    told = [(read_predictions(folder), weight) for folder, weight in found]
    share = np.stack(
        [np.sum([weight * rows[case.name] for rows, weight in told], axis=0) for case in view.cases]
    ) / sum(weight for _, weight in told)

    write_predictions(view, view.cases, share.astype(np.float32))
    print(f"{len(view.cases)} cases from {len(found)} folders of {len(weights)} members")


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


if __name__ == "__main__":
    main()
