"""The attempt is better than models that do not look at the image."""

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, finding, number, passed, some, unchecked

ID = "beats-nulls/1"


def check(evidence: Evidence) -> Finding:
    """Say whether the paired interval over groups lies above each null model.

    A weak attempt is honest evidence, so this bars nothing; promotion refuses it by itself.
    """
    if not evidence.nulls:
        return unchecked(ID, "there are no null models' scores to compare with")

    grounds = [
        number(n.null, f"{'undefined' if n.value is None else repr(n.value)}, "
               f"{'beaten' if n.beaten else 'not beaten'}")
        for n in evidence.nulls
    ]  # fmt: skip
    better = [n.null for n in evidence.nulls if not n.beaten]
    if better:
        says = f"not above {some(better)} by the paired interval over groups: no candidate"
        return finding(ID, "note", "OK_NOTE", says, grounds)

    return passed(ID, f"above each of {len(evidence.nulls)} null models", grounds)
