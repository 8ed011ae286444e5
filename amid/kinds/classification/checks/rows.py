"""Every expected case has a row."""

from amid.documents import Finding
from amid.kinds.classification.checks.evidence import answers
from amid.review.checks.evidence import Evidence, finding, number, passed, some

ID = "rows/1"


def check(evidence: Evidence) -> Finding:
    """Compare the rows with the ids of the split; other rows and files are noted and left aside."""
    expected = list(answers(evidence))
    missing = [a for a in expected if a.status == "missing"]
    if missing:
        says = f"{len(missing)} of {len(expected)} expected rows are missing"
        grounds = [number(a.name, a.reason or "expected, not handed in") for a in missing]
        names = some([a.name for a in missing])
        return finding(ID, "reject", "PRED_MISSING", f"{says}: {names}", grounds)

    if evidence.extras:
        names = some([f"{e.fold}/{e.name}" for e in evidence.extras])
        says = f"complete; {len(evidence.extras)} other rows and files were left aside: {names}"
        return finding(ID, "note", "OK_NOTE", says)

    return passed(ID, f"each of {len(expected)} expected cases has a row")
