"""The attempt's predictions are not another attempt's."""

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, finding, number, passed, some, unchecked

ID = "duplicate-attempt/1"


def check(evidence: Evidence) -> Finding:
    """Compare the digest over all validation predictions with those of earlier attempts.

    Predictions come from executing the commit, so equal bytes are not a copied file. Within a lane
    they mean a change without effect: noted. Under another lane's name they would count twice as
    coverage: held.
    """
    grounds = [number("payload", evidence.payload)]
    if evidence.earlier is None:
        return unchecked(ID, "the predictions of other attempts were not given to this review")

    same = [
        e
        for e in evidence.earlier
        if e.payload == evidence.payload and e.attempt != evidence.attempt
    ]
    if not same:
        others = len(evidence.earlier)
        says = (
            f"differs from each of {others} other attempts"
            if others > 1
            else (
                "differs from the one other attempt" if others else "there is no other attempt yet"
            )
        )
        return passed(ID, says, grounds)

    names = some([e.attempt for e in same])
    if all(e.lane == evidence.lane for e in same):
        says = f"same predictions as {names} of the same lane: the change had no effect"
        return finding(ID, "note", "OK_NOTE", says, grounds)

    says = f"same predictions as {names}, which belongs to another lane"
    return finding(ID, "flag", "DUP_SUBMISSION_PAYLOAD", says, grounds)
