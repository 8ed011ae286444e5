"""How findings become a verdict, and what a worker is told. Pure and total."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Literal, NamedTuple, Protocol

from amid.review.checks import every_check
from ledger.events.codes import JobEnd, ReasonCode, Released

VERSION = "rules/1"

STEP = Decimal("0.005")
"""What a score is rounded to before a worker sees it."""

DECISION = (
    "reject if any finding rejects; else flag if any finding flags or there is no finding; "
    "else accept. Notes, passes and unchecked findings bar nothing."
)

ADVICE: Mapping[ReasonCode, str] = {
    "CASE_DUPLICATED": "Write each case once, under <case>.nii.gz and no other name.",
    "DIRECTION_WRONG": "The contract's direction contradicts its metric; nothing you can repair.",
    "DUP_EXACT_CROSS_SPLIT": "The data hold one image on both sides of the split; nothing you can "
    "repair.",
    "DUP_SUBMISSION_PAYLOAD": "Another lane made exactly these predictions: change the method, "
    "not its name.",
    "METRIC_SUBSTITUTED": "A claim names a metric that is not the contract's: claim that one, or "
    "nothing.",
    "OK": "Nothing bars this attempt.",
    "OK_NOTE": "Nothing bars this attempt; the notes name what was unusual.",
    "PRED_CORRUPT": "A prediction could not be read whole: write it with SimpleITK as one "
    "compressed NIfTI file of a plain number type.",
    "PRED_DIM": "Write predictions with the image's number of dimensions: labels, not one channel "
    "per class.",
    "PRED_EQUALS_LABEL": "Predictions equal the hidden labels and no record shows how they came "
    "about: run in a recorded sandbox.",
    "PRED_GEOMETRY": "Copy origin, spacing and direction from the image "
    "(`prediction.CopyInformation(image)`) and undo every flip and resampling first.",
    "PRED_GEOMETRY_AMBIGUOUS": "The header gives two positions (qform and sform): write it with "
    "SimpleITK, which keeps them equal.",
    "PRED_LABEL_SET": "Write the contract's label numbers as whole numbers: undo remappings, write "
    "labels and not probabilities.",
    "PRED_MISSING": "Predict every case of the view: loop over cases.json, let no error skip one.",
    "PRED_NAME_COLLISION": "Use the case ids as they are written in cases.json.",
    "PRED_NAN": "A prediction holds NaN or infinity: check for division by zero before argmax.",
    "PRED_SHAPE": "Resample predictions back to the size of the image before writing them.",
    "PRED_SYMLINK": "Write regular files, no links, pipes or folders, for predictions.",
    "SCORE_MISMATCH": "A claimed score is not the recomputed one: claim what the contract's metric "
    "gives on inner, or claim nothing.",
    "SCORE_NAN": "The primary metric has no value: repair the other findings first.",
    "SEALED_READ": "A job asked for a sealed place: read only what lies under AMID_DATA.",
    "SPLIT_CASE_OVERLAP": "The split has a case on two sides; nothing you can repair.",
    "SPLIT_PATIENT_OVERLAP": "The split has a group on two sides; nothing you can repair.",
    "STAT_CI_OVERLAP": "There are too few groups to tell attempts apart; a person must decide.",
    "STAT_NOT_CASE_SPECIFIC": "Different images got the same prediction: make the output depend "
    "on the image.",
    "UNCHECKED": "There was nothing to judge by.",
    "OTHER": "The reviewer found something that has no advice yet: see its finding.",
}
"""A sentence for each reason code: public, without ids, numbers or anything of the labels."""

ENDS: Mapping[JobEnd, str] = {
    "EXIT": "A script ended with an error: run it on the phantom cases and read its traceback.",
    "SIGNAL": "A script was killed by a signal: look for native code that crashes.",
    "WALL_LIMIT": "A job ran out of time: fewer or cheaper steps, or checkpoints it can end at.",
    "CPU_LIMIT": "A job used more processor time than it may: start no more threads than "
    "AMID_THREADS.",
    "MEMORY_LIMIT": "A job needed too much memory: smaller patches, one case at a time.",
    "PROCESS_LIMIT": "A job had too many processes at once: fewer workers.",
    "OUTPUT_LIMIT": "A job wrote too much: keep the model and the predictions, remove the rest.",
    "RECORD_LIMIT": "A job named too many paths: open what it needs, once.",
    "OUTPUT_REFUSED": "Something under out/ is not a plain file with a plain name.",
    "CHECKPOINT_WRONG": 'Write {"stopped_at": K} into out/stopped.json, K the number it ended at.',
    "SANDBOX_FAILED": "The sandbox could not be set up; nothing you can repair.",
    "RECORD_BROKEN": "The record of a job broke off: nothing you can repair, if you did not try.",
    "NOT_ENDED": "A job's processes did not end; nothing you can repair.",
    "LOST": "Nobody knows what became of a job; nothing you can repair.",
    "DEFECT": "The runtime met a defect of its own; nothing you can repair.",
}
"""A sentence for each end of a job that did not finish: public in the same way."""


class Found(Protocol):
    """What the rule reads of a finding."""

    @property
    def outcome(self) -> Literal["pass", "note", "flag", "reject", "unchecked"]:
        """What the check concluded."""

    @property
    def code(self) -> str:
        """Its reason code."""


class Ruled(NamedTuple):
    """A verdict with its reason codes, gravest first."""

    verdict: Literal["accept", "flag", "reject"]
    codes: tuple[str, ...]


def rule(findings: Sequence[Found]) -> Ruled:
    """Turn findings into a verdict.

    Codes are those of rejecting findings by name, then of flagging ones; an accepted attempt has
    `OK`, or `OK_NOTE` when something was noted. The order of findings does not matter.
    """
    rejects = sorted({f.code for f in findings if f.outcome == "reject"})
    flags = sorted({f.code for f in findings if f.outcome == "flag"} - set(rejects))
    if not findings:
        return _ruled("flag", ["UNCHECKED"])

    if rejects:
        return _ruled("reject", [*rejects, *flags])

    if flags:
        return _ruled("flag", flags)

    noted = any(f.outcome == "note" for f in findings)
    return _ruled("accept", ["OK_NOTE" if noted else "OK"])


def advice(codes: Sequence[Released]) -> tuple[str, ...]:
    """Return the sentence for each code."""
    sentences = {str(code): says for code, says in (*ADVICE.items(), *ENDS.items())}
    return tuple(sentences[code] for code in codes)


def rules_text() -> str:
    """Return what the verdict depends on besides the findings, as text."""
    return "\n".join((VERSION, DECISION, *every_check(), ""))


def round_score(value: str) -> str:
    """Round a score to the nearest 0.005, half to even, as a plain decimal string."""
    steps = (Decimal(value) / STEP).quantize(Decimal(1), rounding=ROUND_HALF_EVEN)
    text = format(steps * STEP, "f").rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _ruled(verdict: Literal["accept", "flag", "reject"], codes: Sequence[str]) -> Ruled:
    return Ruled(verdict, tuple(codes))


__all__ = [
    "ADVICE",
    "ENDS",
    "Found",
    "Ruled",
    "advice",
    "round_score",
    "rule",
    "rules_text",
]
