"""Predictions of different images differ."""

from amid.checks.evidence import Evidence, Prediction, finding, number, passed, some
from amid.documents import Finding

ID = "case-specific/1"


def check(evidence: Evidence) -> Finding:
    """Find cases of one fold whose predictions are equal to the byte although their images differ.

    That is a fact about the files; what it means (a template pasted everywhere, or a constant
    model) is for somebody to decide, so it holds and does not bar. Two empty masks are no finding,
    nor are equal masks for equal images.
    """
    images: dict[str, list[str]] = {}
    for image in evidence.images:
        images.setdefault(image.case, []).append(f"{image.channel}:{image.canonical}")

    payloads: dict[tuple[str, str], list[Prediction]] = {}
    for prediction in evidence.predictions:
        if prediction.status == "ok" and prediction.foreground and prediction.payload:
            payloads.setdefault((prediction.fold, prediction.payload), []).append(prediction)

    equal = [
        same
        for _, same in sorted(payloads.items())
        if len({tuple(sorted(images.get(p.case, [p.case]))) for p in same}) > 1
    ]
    if not equal:
        return passed(ID, "no two different images have the same prediction, empty ones aside")

    cases = [p.name for same in equal for p in same]
    says = f"{len(cases)} predictions of different images are equal to the byte: {some(cases)}"
    grounds = [
        number(same[0].payload, "the same voxels for " + some([p.name for p in same]))
        for same in equal
    ]
    return finding(ID, "flag", "STAT_NOT_CASE_SPECIFIC", says, grounds)
