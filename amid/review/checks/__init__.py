"""The reviewer's checks: each is pure over evidence and says what it saw.

A new check is a file here with `ID` and `check`, a line in `CHECKS`, a paragraph in
docs/reference/checks.md, and a test that bars beside one that passes.
"""

from collections.abc import Callable, Mapping

from amid.documents import Finding
from amid.review.checks import (
    beats_nulls,
    case_specific,
    completeness,
    cross_split,
    direction,
    duplicate_attempt,
    few_groups,
    geometry,
    label_copy,
    label_set,
    metric_defined,
    prediction_file,
    score_claim,
    sealed_access,
    split_cases,
    split_groups,
)
from amid.review.checks.evidence import Evidence

Check = Callable[[Evidence], Finding]

CHECKS: Mapping[str, Check] = {
    module.ID: module.check
    for module in (
        completeness,
        prediction_file,
        geometry,
        label_set,
        split_cases,
        split_groups,
        cross_split,
        few_groups,
        direction,
        metric_defined,
        score_claim,
        sealed_access,
        label_copy,
        case_specific,
        duplicate_attempt,
        beats_nulls,
    )
}
"""Check id with version to check, in the order they are run and reported."""


def run_checks(evidence: Evidence) -> tuple[Finding, ...]:
    """Run every check; none of them stops the others."""
    return tuple(check(evidence) for check in CHECKS.values())


__all__ = ["CHECKS", "Check", "Evidence", "Finding", "run_checks"]
