"""No group (patient) is on two sides of the split."""

from amid.documents import Finding
from amid.review.checks.evidence import Evidence, finding, number, passed, some, unchecked

ID = "split-groups/1"


def check(evidence: Evidence) -> Finding:
    """Compare group ids, not file names, of fit, validation, inner and test in each fold.

    Several cases of one group on the same side are fine.
    """
    split = evidence.split
    cases = {*split.development, *split.test}
    unknown = sorted(cases - set(split.group_of))
    if unknown:
        return unchecked(ID, f"{len(unknown)} cases have no group: {some(unknown)}")

    shared: dict[str, str] = {}
    for sides in split.folds:
        side: dict[str, set[str]] = {}
        for name, members in (
            ("fit", sides.fit),
            ("validation", sides.validation),
            ("inner", split.inner),
            ("test", split.test),
        ):
            for case in members:
                side.setdefault(split.group_of[case], set()).add(name)

        for group, names in side.items():
            if len(names) > 1:
                shared.setdefault(group, f"{sides.fold}: " + " and ".join(sorted(names)))

    if shared:
        says = f"{len(shared)} groups stand on two sides of the split: {some(sorted(shared))}"
        grounds = [number(group, where) for group, where in sorted(shared.items())]
        return finding(ID, "reject", "SPLIT_PATIENT_OVERLAP", says, grounds)

    groups = len(set(split.group_of.values()))
    return passed(ID, f"none of {groups} groups stands on two sides of any fold")
