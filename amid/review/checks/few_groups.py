"""There are enough groups to tell attempts apart."""

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, finding, number, passed

ID = "few-groups/1"

ENOUGH = 5
LEAST = 3


def check(evidence: Evidence) -> Finding:
    """Count the groups outside the test set.

    With three or four, each left out once, no interval separates anything: held at best. With
    fewer there is no honest score.
    """
    split = evidence.split
    groups = len({split.group_of.get(case, case) for case in split.development})
    ground = number("groups", str(groups))

    if groups < LEAST:
        says = f"{groups} groups outside the test set: fewer than {LEAST} give no honest score"
        return finding(ID, "reject", "STAT_CI_OVERLAP", says, [ground])

    if groups < ENOUGH:
        says = f"{groups} groups outside the test set: no interval can separate attempts"
        return finding(ID, "flag", "STAT_CI_OVERLAP", says, [ground])

    return passed(ID, f"{groups} groups outside the test set", [ground])
