"""Every expected case has one prediction under its contracted name."""

import unicodedata

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, Extra, finding, number, passed, some

ID = "completeness/1"

_SUFFIXES = (".nii.gz", ".nii", ".mha", ".mhd", ".nrrd", ".nhdr", ".img", ".hdr", ".npy", ".png")


def check(evidence: Evidence) -> Finding:
    """Compare what was handed in with the ids of the split, not with what happens to be there.

    Names equal up to letter case or Unicode form, and a case handed in under two names, are facts
    that bar; other files are left aside and noted.
    """
    missing = [p.name for p in evidence.predictions if p.status == "missing"]
    expected = {(p.fold, p.case) for p in evidence.predictions}
    present = {(p.fold, p.case) for p in evidence.predictions if p.status != "missing"}
    collisions = [e for e in evidence.extras if _collides(e, expected)]
    twice = [e for e in evidence.extras if e not in collisions and _case(e) in present]

    if missing:
        says = f"{len(missing)} of {len(expected)} expected predictions are missing"
        grounds = [number(name, "expected, not handed in") for name in missing]
        return finding(ID, "reject", "PRED_MISSING", f"{says}: {some(missing)}", grounds)

    if collisions:
        names = [f"{e.fold}/{e.name}" for e in collisions]
        says = f"{len(names)} names equal an expected one but for letter case or Unicode form"
        grounds = [number(name, "collides with an expected name") for name in names]
        return finding(ID, "reject", "PRED_NAME_COLLISION", f"{says}: {some(names)}", grounds)

    if twice:
        names = [f"{e.fold}/{e.name}" for e in twice]
        says = f"{len(names)} cases were handed in under more than one name"
        grounds = [number(name, "a second file for a case") for name in names]
        return finding(ID, "reject", "CASE_DUPLICATED", f"{says}: {some(names)}", grounds)

    if evidence.extras:
        names = [f"{e.fold}/{e.name}" for e in evidence.extras]
        says = f"complete; {len(names)} other files were left aside: {some(names)}"
        return finding(ID, "note", "OK_NOTE", says)

    return passed(ID, f"each of {len(expected)} expected predictions is there once")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _stem(name: str) -> str:
    for suffix in _SUFFIXES:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]

    return name


def _case(extra: Extra) -> tuple[str, str]:
    return extra.fold, _stem(extra.name)


def _collides(extra: Extra, expected: set[tuple[str, str]]) -> bool:
    fold, stem = _case(extra)
    return (fold, stem) not in expected and (fold, _folded(stem)) in expected
