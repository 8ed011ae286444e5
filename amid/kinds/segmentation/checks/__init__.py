"""The checks of a segmentation: those of every kind, and those of label maps."""

from collections.abc import Callable, Mapping

from amid.documents import Finding
from amid.kinds.segmentation.checks import geometry, label_copy, label_set, prediction_file
from amid.review.checks import (
    beats_nulls,
    case_specific,
    completeness,
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
"""In the order in which they run and are reported."""

__all__ = ["CHECKS"]
