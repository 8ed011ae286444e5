"""The reviewer's checks: each is pure over evidence and says what it saw.

Here stand those that any kind of task can use; a kind adds its own and says which run, in which
order. A new check is a file with `ID` and `check`, a line in the `CHECKS` of each kind it is for, a
paragraph in docs/reference/checks.md, and a test that bars beside one that passes.
"""

from collections.abc import Callable, Mapping
from typing import cast

from amid.documents import Finding
from amid.review.checks.evidence import Evidence
from amid.tasks import kinds

Check = Callable[[Evidence], Finding]


def checks_of(kind: str) -> Mapping[str, Check]:
    """Return the checks of a kind of task: id with version to check, in their order."""
    return cast(Mapping[str, Check], kinds.part(kind, "checks").CHECKS)


def every_check() -> Mapping[str, Check]:
    """Return the checks of all kinds that are here, by id."""
    found = [pair for kind in kinds.places() for pair in checks_of(kind).items()]
    return dict(sorted(found, key=lambda pair: pair[0]))


def run_checks(kind: str, evidence: Evidence) -> tuple[Finding, ...]:
    """Run every check of a kind; none of them stops the others."""
    return tuple(check(evidence) for check in checks_of(kind).values())


__all__ = ["Check", "Evidence", "Finding", "checks_of", "every_check", "run_checks"]
