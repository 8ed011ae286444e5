"""Predictions that are the hidden label."""

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, finding, number, passed, some, unchecked

ID = "label-copy/1"

_PROVEN = ("sealed", "confined")


def check(evidence: Evidence) -> Finding:
    """Look for predictions equal to the hidden label voxel by voxel.

    A perfect score on an easy task looks the same as a copy, so equality alone decides nothing:
    with an opened label it bars; with a complete record that shows no opening it is noted; without
    a record it is held. Copies that were changed are not looked for by this check.
    """
    compared = [p for p in evidence.predictions if p.equals_label is not None]
    if not compared:
        return unchecked(ID, "no prediction could be compared with a hidden label")

    equal = [p.name for p in compared if p.equals_label]
    if not equal:
        return passed(ID, f"none of {len(compared)} compared predictions equals its hidden label")

    says = f"{len(equal)} of {len(compared)} predictions equal their hidden label: {some(equal)}"
    grounds = [number(name, "equal to the hidden label in each voxel") for name in equal]
    if evidence.sealed_read:
        says += "; a job of this attempt opened a sealed place"
        return finding(ID, "reject", "PRED_EQUALS_LABEL", says, grounds)

    if evidence.access is not None and evidence.assurance in _PROVEN:
        says += "; the access record shows that no label was opened, so this is skill"
        return finding(ID, "note", "OK_NOTE", says, grounds)

    says += "; there is no complete access record that would tell a copy from an easy task"
    return finding(ID, "flag", "PRED_EQUALS_LABEL", says, grounds)
