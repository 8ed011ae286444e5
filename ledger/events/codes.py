"""Closed lists of codes: what an event, a worker or a program may be told without free text."""

from typing import Final, Literal, cast, get_args

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

ReasonCode = Literal[
    "CASE_DUPLICATED",
    "DIRECTION_WRONG",
    "DUP_EXACT_CROSS_SPLIT",
    "DUP_SUBMISSION_PAYLOAD",
    "METRIC_SUBSTITUTED",
    "OK",
    "OK_NOTE",
    "PRED_CORRUPT",
    "PRED_DIM",
    "PRED_EQUALS_LABEL",
    "PRED_GEOMETRY",
    "PRED_GEOMETRY_AMBIGUOUS",
    "PRED_LABEL_SET",
    "PRED_MISSING",
    "PRED_NAME_COLLISION",
    "PRED_NAN",
    "PRED_SHAPE",
    "PRED_SYMLINK",
    "SCORE_MISMATCH",
    "SCORE_NAN",
    "SEALED_READ",
    "SPLIT_CASE_OVERLAP",
    "SPLIT_PATIENT_OVERLAP",
    "STAT_CI_OVERLAP",
    "STAT_NOT_CASE_SPECIFIC",
    "UNCHECKED",
    "OTHER",
]
"""What the reviewer may say of an attempt; `OTHER` is any word that this program does not know."""

Released = ReasonCode | JobEnd
"""All that a worker is told of what became of an attempt, besides its rounded scores."""

JOB_ENDS: Final[frozenset[str]] = frozenset(get_args(JobEnd))

REASON_CODES: Final[frozenset[str]] = frozenset(get_args(ReasonCode))


def reason_code(word: str) -> ReasonCode:
    """Return a reason code for a recorded word."""
    return cast("ReasonCode", word) if word in REASON_CODES else "OTHER"


def job_end(word: str | None) -> JobEnd | None:
    """Return the code for a reported word; a word that is not on the list is a defect."""
    if word is None:
        return None

    return cast("JobEnd", word) if word in JOB_ENDS else "DEFECT"


__all__ = [
    "JOB_ENDS",
    "REASON_CODES",
    "JobEnd",
    "ReasonCode",
    "Released",
    "job_end",
    "reason_code",
]
