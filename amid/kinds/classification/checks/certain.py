"""Answers that are the hidden classes, without any doubt in any case."""

from amid.documents import Finding
from amid.kinds.classification.checks.evidence import answers
from amid.review.checks.evidence import Evidence, finding, number, passed, unchecked

ID = "certain-copy/1"

FEW = 10
_PROVEN = ("sealed", "confined")


def check(evidence: Evidence) -> Finding:
    """Look for a whole set of answers that are 1 at the hidden class and 0 elsewhere.

    A model doubts; a copy does not. That alone decides nothing: with an opened label it bars, with
    a complete record that shows no opening it is noted, without a record it is held.
    """
    compared = [a for a in answers(evidence) if a.equals_label is not None]
    if len(compared) < FEW:
        return unchecked(ID, f"fewer than {FEW} answers could be compared with a hidden class")

    equal = [a.name for a in compared if a.equals_label]
    if len(equal) < len(compared):
        return passed(ID, f"{len(equal)} of {len(compared)} answers are certain and right")

    says = f"all {len(equal)} answers are the hidden classes without doubt"
    grounds = [number(name, "1 at the hidden class, 0 elsewhere") for name in equal]
    if evidence.sealed_read:
        says += "; a job of this attempt opened a sealed place"
        return finding(ID, "reject", "PRED_EQUALS_LABEL", says, grounds)

    if evidence.access is not None and evidence.assurance in _PROVEN:
        says += "; the access record shows that no label was opened, so this is skill"
        return finding(ID, "note", "OK_NOTE", says, grounds)

    says += "; there is no complete access record that would tell a copy from an easy task"
    return finding(ID, "flag", "PRED_EQUALS_LABEL", says, grounds)
