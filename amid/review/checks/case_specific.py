"""Predictions of different images differ."""

from collections.abc import Sequence

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, Prediction, finding, number, passed, some

ID = "case-specific/1"


def check(evidence: Evidence) -> Finding:
    """Find cases whose predictions by one model are equal to the byte although they should not be.

    That is a fact about the files; what it means (a template pasted everywhere, or a constant
    model) is for somebody to decide, so it holds and does not bar. No finding are two empty masks,
    equal masks for equal images, for two visits of a patient, or for cases whose labels are equal.
    """
    images: dict[str, list[str]] = {}
    for image in evidence.images:
        images.setdefault(image.case, []).append(f"{image.channel}:{image.canonical}")

    payloads: dict[tuple[str, str], list[Prediction]] = {}
    for prediction in evidence.predictions:
        if prediction.status == "ok" and prediction.foreground and prediction.payload:
            payloads.setdefault((prediction.fold, prediction.payload), []).append(prediction)

    groups = evidence.split.group_of
    equal = [
        same
        for _, same in sorted(payloads.items())
        if _several([" ".join(sorted(images.get(p.case, [p.case]))) for p in same])
        and _several([groups.get(p.case, p.case) for p in same])
        and _several([p.reference or p.case for p in same])
    ]
    if not equal:
        return passed(ID, "no two different images have the same prediction without a reason")

    cases = [p.name for same in equal for p in same]
    says = f"{len(cases)} predictions of different images are equal to the byte: {some(cases)}"
    grounds = [
        number(same[0].payload, "the same voxels for " + some([p.name for p in same]))
        for same in equal
    ]
    return finding(ID, "flag", "STAT_NOT_CASE_SPECIFIC", says, grounds)


def _several(names: Sequence[str]) -> bool:
    return len(set(names)) > 1
