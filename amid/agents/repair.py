"""What to do about each reason code: pure rules from a verdict to a remedy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ledger.events.codes import ReasonCode, reason_code

Remedy = Literal["rewrite", "vary", "stop"]


@dataclass(frozen=True, slots=True)
class Rule:
    """How one reason code is answered."""

    remedy: Remedy
    """`rewrite` these files anew, `vary` the parameters, or `stop`: it is not ours to mend."""
    because: str
    files: tuple[str, ...] = ()


_WRITER = ("volumes.py",)
_LOOP = ("predict.py",)
_BOTH = ("volumes.py", "predict.py")

RULES: Mapping[ReasonCode, Rule] = {
    "PRED_GEOMETRY": Rule(
        "rewrite", "a prediction is written with the geometry of its own image", _WRITER
    ),
    "PRED_GEOMETRY_AMBIGUOUS": Rule(
        "rewrite", "a prediction is turned back to the orientation of its own image", _WRITER
    ),
    "PRED_SHAPE": Rule("rewrite", "a prediction is stretched to the size of its image", _BOTH),
    "PRED_DIM": Rule("rewrite", "labels are written as one value per voxel", _WRITER),
    "PRED_LABEL_SET": Rule("rewrite", "only label ids of the view are written", _BOTH),
    "PRED_NAN": Rule("rewrite", "labels are whole numbers chosen by the largest share", _BOTH),
    "PRED_CORRUPT": Rule("rewrite", "files are written whole, as 8-bit .nii.gz", _WRITER),
    "PRED_MISSING": Rule("rewrite", "every case of the view is predicted, none skipped", _LOOP),
    "PRED_NAME_COLLISION": Rule("rewrite", "each file is named after its case, once", _BOTH),
    "PRED_SYMLINK": Rule("rewrite", "predictions are regular files", _WRITER),
    "CASE_DUPLICATED": Rule("rewrite", "each case of the view is predicted once", _LOOP),
    "SCORE_MISMATCH": Rule(
        "rewrite", "no number is claimed; the reviewer's counts", ("attempt.toml",)
    ),
    "METRIC_SUBSTITUTED": Rule(
        "rewrite", "no number is claimed; the reviewer's counts", ("attempt.toml",)
    ),
    "SCORE_NAN": Rule("vary", "a label came out empty: other parameters"),
    "STAT_NOT_CASE_SPECIFIC": Rule("vary", "predictions hardly follow the image: other parameters"),
    "STAT_CI_OVERLAP": Rule("vary", "too few groups to tell attempts apart: a clearer lead"),
    "DUP_SUBMISSION_PAYLOAD": Rule("vary", "the same predictions were handed in before"),
}
"""Codes that speak of the split, the data or a sealed place are no worker's to mend: they stop."""

_HARMLESS = ("OK", "OK_NOTE", "UNCHECKED")
UNKNOWN = Rule("stop", "no rule of this agent answers that code")


def answer(codes: Sequence[str]) -> tuple[tuple[str, Rule], ...]:
    """Return each code with its rule, in the order given; what bars nothing needs no answer."""
    return tuple(
        (code, RULES.get(reason_code(code), UNKNOWN))
        for code in dict.fromkeys(codes)
        if code not in _HARMLESS
    )


__all__ = ["RULES", "UNKNOWN", "Rule", "answer"]
