"""Predictions of different images differ."""

from collections.abc import Sequence

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, Prediction, finding, number, passed, some

ID = "case-specific/2"

SHARE = 0.2
"""Part of a fold's predictions that may be nearly equal before that is more than a fallback."""
FEW = 3
"""Fewer nearly equal predictions are a fallback for hard cases, whatever their share."""


def check(evidence: Evidence) -> Finding:
    """Find models that answer many different images with nearly the same prediction.

    That is a fact about the files; what it means (a template pasted everywhere, or a constant
    model) is for somebody to decide, so it holds and does not bar. A few such answers, as of a
    model that falls back to the mean shape where it sees nothing, are noted. No finding are empty
    masks, equal masks for equal images, for two visits of a patient, or for cases whose labels are
    equal.
    """
    images: dict[str, list[str]] = {}
    for image in evidence.images:
        images.setdefault(image.case, []).append(f"{image.channel}:{image.canonical}")

    alike: dict[tuple[str, str], list[Prediction]] = {}
    told: dict[str, int] = {}
    for prediction in evidence.predictions:
        if prediction.status == "ok" and prediction.foreground and prediction.payload:
            told[prediction.fold] = told.get(prediction.fold, 0) + 1
            key = prediction.coarse or prediction.payload
            alike.setdefault((prediction.fold, key), []).append(prediction)

    groups = evidence.split.group_of
    equal = [
        same
        for _, same in sorted(alike.items())
        if _several([" ".join(sorted(images.get(p.case, [p.case]))) for p in same])
        and _several([groups.get(p.case, p.case) for p in same])
        and _several([p.reference or p.case for p in same])
    ]
    if not equal:
        return passed(ID, "no two images have nearly the same prediction without a reason")

    many = [same for same in equal if len(same) >= FEW and len(same) > SHARE * told[same[0].fold]]
    cases = [p.name for same in (many or equal) for p in same]
    says = f"{len(cases)} predictions of different images are nearly equal: {some(cases)}"
    grounds = [
        number(same[0].coarse or same[0].payload, "the same for " + some([p.name for p in same]))
        for same in (many or equal)
    ]
    if many:
        return finding(ID, "flag", "STAT_NOT_CASE_SPECIFIC", says, grounds)

    says += "; few enough for a fallback on hard cases"
    return finding(ID, "note", "OK_NOTE", says, grounds)


def _several(names: Sequence[str]) -> bool:
    return len(set(names)) > 1
