"""Metrics of the reviewer, by contract name; see docs/reference/metrics.md."""

from amid.metrics.case import AVERAGE, EMPTY, Values, mean_of, score_case
from amid.metrics.registry import METRICS, Metric, metric

__all__ = ["AVERAGE", "EMPTY", "METRICS", "Metric", "Values", "mean_of", "metric", "score_case"]
