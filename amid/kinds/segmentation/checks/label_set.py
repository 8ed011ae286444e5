"""Predictions hold the contract's labels and nothing else."""

from amid.documents import Finding
from amid.kinds.segmentation.checks.evidence import label_maps
from amid.review.checks.evidence import Evidence, finding, number, passed, some

ID = "label-set/1"


def check(evidence: Evidence) -> Finding:
    """Look at stored values before any cast: 257 is not 1, and 0.5 is not a label.

    Whole numbers stored as floats are fine, and so is a label that never occurs.
    """
    allowed = set(evidence.labels.values())
    readable = [p for p in label_maps(evidence) if p.status == "ok"]
    fractions = [p for p in readable if not p.whole]
    strange = [p for p in readable if p.whole and set(p.values) - allowed]

    if fractions or strange:
        names = [p.name for p in (*fractions, *strange)]
        grounds = [number(p.name, "values that are not whole numbers") for p in fractions]
        grounds += [
            number(p.name, f"values {sorted(set(p.values) - allowed)[:8]} are no label")
            for p in strange
        ]
        says = f"{len(names)} predictions hold values outside {sorted(allowed)}: {some(names)}"
        return finding(ID, "reject", "PRED_LABEL_SET", says, grounds)

    return passed(ID, f"{len(readable)} predictions hold labels of {sorted(allowed)} only")
