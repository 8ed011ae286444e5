"""No image stands on two sides of the split under two ids."""

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, finding, number, passed, some

ID = "cross-split-duplicates/1"


def check(evidence: Evidence) -> Finding:
    """Compare canonical hashes, which survive another type, offset, flip or spacing.

    Seen (fit and inner), validation and test are the three sides of each fold. Equal images on one
    side are noted: they weigh twice, but leak nothing.
    """
    channels = len({image.channel for image in evidence.images})
    by_hash: dict[str, set[str]] = {}
    for image in evidence.images:
        by_hash.setdefault(image.canonical, set()).add(image.case)

    twins = [(digest, sorted(cases)) for digest, cases in sorted(by_hash.items()) if len(cases) > 1]
    across: dict[str, str] = {}
    for sides in evidence.split.folds:
        side = dict.fromkeys((*sides.fit, *evidence.split.inner), "seen")
        side |= dict.fromkeys(sides.validation, "validation")
        side |= dict.fromkeys(evidence.split.test, "test")
        for digest, cases in twins:
            where = sorted({side[case] for case in cases if case in side})
            if len(where) > 1:
                across.setdefault(digest, f"{some(cases)} in {' and '.join(where)}")

    if across:
        says = (
            f"{len(across)} images stand on two sides of the split: {some(list(across.values()))}"
        )
        grounds = [number(digest, where) for digest, where in sorted(across.items())]
        return finding(ID, "reject", "DUP_EXACT_CROSS_SPLIT", says, grounds)

    if twins:
        says = f"{len(twins)} images occur more than once on one side of the split"
        grounds = [number(digest, some(cases)) for digest, cases in twins]
        return finding(ID, "note", "OK_NOTE", says, grounds)

    many = f"{channels} channel" if channels == 1 else f"{channels} channels"
    return passed(ID, f"{len(by_hash)} images in {many}, none of them twice")
