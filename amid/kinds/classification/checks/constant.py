"""The probabilities follow the image."""

from collections import Counter

from amid.documents import Finding
from amid.kinds.classification.checks.evidence import answers
from amid.review.checks.evidence import Evidence, finding, number, passed

ID = "constant-output/1"

SHARE = 0.5
"""Part of a fold's cases that may have one and the same answer: trees give equal ones to some."""
FEW = 4


def check(evidence: Evidence) -> Finding:
    """Find folds in which most cases have one and the same row of probabilities.

    Two cases of one patient, and images that are equal, may have one answer and are counted once.
    """
    images: dict[str, list[str]] = {}
    for image in evidence.images:
        images.setdefault(image.case, []).append(f"{image.channel}:{image.canonical}")

    folds: dict[str, dict[str, str]] = {}
    for answer in answers(evidence):
        if answer.status == "ok":
            picture = " ".join(sorted(images.get(answer.case, [answer.case])))
            folds.setdefault(answer.fold, {})[picture] = answer.payload

    flat = []
    for fold, payloads in sorted(folds.items()):
        most = Counter(payloads.values()).most_common(1)[0][1]
        if len(payloads) >= FEW and most > SHARE * len(payloads):
            flat.append((fold, most, len(payloads)))

    if not flat:
        return passed(ID, "no fold answers most of its images alike")

    grounds = [number(fold, f"{most} of {of} images have one answer") for fold, most, of in flat]
    says = "; ".join(f"{fold}: {most} of {of} images have one answer" for fold, most, of in flat)
    return finding(ID, "flag", "STAT_NOT_CASE_SPECIFIC", says, grounds)
