"""Each prediction is a plain file that holds one finite image of the image's dimensions."""

from collections.abc import Mapping

from amid.documents import Finding
from amid.kinds.segmentation.checks.evidence import LabelMap, label_maps
from amid.review.checks.evidence import Evidence, finding, number, passed, some
from ledger.events.codes import ReasonCode

ID = "prediction-file/1"

_CODES: Mapping[str, ReasonCode] = {
    "symlink": "PRED_SYMLINK",
    "not-a-file": "PRED_SYMLINK",
    "corrupt": "PRED_CORRUPT",
    "not-finite": "PRED_NAN",
}
_ORDER: tuple[ReasonCode, ...] = ("PRED_SYMLINK", "PRED_CORRUPT", "PRED_DIM", "PRED_NAN")


def check(evidence: Evidence) -> Finding:
    """Report the gravest kind of broken file by its code, and count the others in the sentence.

    A missing file is not this check's business: completeness speaks of it.
    """
    broken: dict[ReasonCode, list[LabelMap]] = {}
    for prediction in label_maps(evidence):
        code = _code(prediction)
        if code:
            broken.setdefault(code, []).append(prediction)

    if not broken:
        there = sum(p.status == "ok" for p in label_maps(evidence))
        return passed(ID, f"{there} predictions are plain, whole and finite images")

    gravest = next(code for code in _ORDER if code in broken)
    says = "; ".join(
        f"{len(broken[kind])} × {kind}: {some([p.name for p in broken[kind]])}"
        for kind in _ORDER
        if kind in broken
    )
    grounds = [number(p.name, p.reason or f"declares {p.dims}") for p in broken[gravest]]
    return finding(ID, "reject", gravest, says, grounds)


def _code(prediction: LabelMap) -> ReasonCode | None:
    if prediction.status == "ok" or (prediction.dims and prediction.status == "not-finite"):
        wrong = len(prediction.dims) != len(prediction.image.size)
        return "PRED_DIM" if wrong else _CODES.get(prediction.status)

    return _CODES.get(prediction.status)
