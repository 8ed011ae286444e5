"""No case is on two sides of the split."""

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, finding, number, passed, some

ID = "split-cases/1"


def check(evidence: Evidence) -> Finding:
    """Compare the id lists of fit, validation, inner and test, fold by fold."""
    split = evidence.split
    shared: dict[str, str] = {}
    for sides in split.folds:
        lists = (
            ("fit", sides.fit),
            ("validation", sides.validation),
            ("inner", split.inner),
            ("test", split.test),
        )
        seen: dict[str, str] = {}
        for name, cases in lists:
            for case in cases:
                if case in seen:
                    shared.setdefault(case, f"{sides.fold}: {seen[case]} and {name}")

                seen[case] = name

    if shared:
        says = f"{len(shared)} cases stand on two sides of the split: {some(sorted(shared))}"
        grounds = [number(case, where) for case, where in sorted(shared.items())]
        return finding(ID, "reject", "SPLIT_CASE_OVERLAP", says, grounds)

    return passed(ID, f"no case stands twice in any of {len(split.folds)} folds")
