"""The checks of a classification: those of every kind, and those of tables of probabilities."""

from collections.abc import Callable, Mapping

from amid.documents import Finding
from amid.kinds.classification.checks import certain, constant, probabilities, rows
from amid.review.checks import (
    beats_nulls,
    cross_split,
    direction,
    duplicate_attempt,
    few_groups,
    metric_defined,
    score_claim,
    sealed_access,
    split_cases,
    split_groups,
)
from amid.review.checks.evidence import Evidence

CHECKS: Mapping[str, Callable[[Evidence], Finding]] = {
    module.ID: module.check
    for module in (
        rows,
        probabilities,
        split_cases,
        split_groups,
        cross_split,
        few_groups,
        direction,
        metric_defined,
        score_claim,
        sealed_access,
        certain,
        constant,
        duplicate_attempt,
        beats_nulls,
    )
}
"""In the order in which they run and are reported."""

__all__ = ["CHECKS"]
