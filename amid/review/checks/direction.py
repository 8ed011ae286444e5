"""The metric's direction is the contract's and the metric's own."""

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, finding, number, passed, unchecked

ID = "direction/1"


def check(evidence: Evidence) -> Finding:
    """Compare the direction the contract repeats with the one the metric is defined with."""
    if evidence.metric_direction is None:
        return unchecked(ID, f"there is no metric called {evidence.metric}")

    ground = number(evidence.metric, f"is defined to {evidence.metric_direction}")
    if evidence.direction != evidence.metric_direction:
        says = f"the contract says {evidence.direction} for {evidence.metric}"
        return finding(ID, "reject", "DIRECTION_WRONG", says, [ground])

    return passed(ID, f"{evidence.metric}: {evidence.direction}", [ground])
