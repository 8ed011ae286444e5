"""The primary metric has a value."""

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, finding, number, passed

ID = "metric-defined/1"


def check(evidence: Evidence) -> Finding:
    """Demand a value of the primary metric on validation; an undefined score ranks nowhere.

    Cases that the contract's convention leaves out are noted with their number.
    """
    found = [s for s in evidence.scores if s.part == "validation" and s.metric == evidence.metric]
    if not found or found[0].value is None:
        why = found[0].status if found else "it was not computed"
        says = f"{evidence.metric} on validation has no value: {why}"
        return finding(ID, "reject", "SCORE_NAN", says, [number(evidence.metric, why)])

    score = found[0]
    ground = number(evidence.metric, f"{score.value!r} over {score.defined} cases")
    if score.defined < score.cases:
        says = f"{score.cases - score.defined} of {score.cases} cases have no value by convention"
        return finding(ID, "note", "OK_NOTE", says, [ground])

    return passed(ID, f"{evidence.metric} is defined on all {score.cases} cases", [ground])
