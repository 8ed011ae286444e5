"""Which jobs may run at the same time: those that could gain nothing from one another.

A training of one fold has seen the labels that another fold is judged by, and so may the model
that a prediction reads. No sandbox shuts out everything that two processes of one machine share
(caches, a wait on a page of the same library), so code of different folds never runs at once,
of whichever attempt it is: two workers may have agreed beforehand.
"""

from ledger.events.job import JobRequested
from runtime.jobspec import CODE_KINDS


def may_overlap(one: JobRequested, other: JobRequested) -> bool:
    """Say whether two jobs may run at the same time."""
    both_run_code = one.kind in CODE_KINDS and other.kind in CODE_KINDS
    return not both_run_code or one.fold == other.fold


__all__ = ["may_overlap"]
