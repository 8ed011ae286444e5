"""Metrics of the reviewer, by contract name; see docs/reference/metrics.md."""

from amid.kinds.segmentation.metrics.case import AVERAGE, EMPTY, Values, mean_of, score_case
from amid.kinds.segmentation.metrics.registry import METRICS, Metric, metric

__all__ = ["AVERAGE", "EMPTY", "METRICS", "Metric", "Values", "mean_of", "metric", "score_case"]
