"""Closed lists of codes: what an event, a worker or a program may be told without free text."""

from typing import Final, Literal, get_args

JobEnd = Literal[
    "EXIT",
    "SIGNAL",
    "WALL_LIMIT",
    "CPU_LIMIT",
    "MEMORY_LIMIT",
    "PROCESS_LIMIT",
    "OUTPUT_LIMIT",
    "RECORD_LIMIT",
    "OUTPUT_REFUSED",
    "CHECKPOINT_WRONG",
    "SANDBOX_FAILED",
    "RECORD_BROKEN",
    "NOT_ENDED",
    "LOST",
    "DEFECT",
]
"""Why a job did not finish. The reason beside it is for people; programs read the code."""

JOB_ENDS: Final[frozenset[str]] = frozenset(get_args(JobEnd))

__all__ = ["JOB_ENDS", "JobEnd"]
