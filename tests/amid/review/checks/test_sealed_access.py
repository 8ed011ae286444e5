from dataclasses import replace

import pytest

from amid.review.checks.evidence import AccessFacts, Opening
from amid.review.checks.sealed_access import check
from tests.amid.review.checks.attempts import HONEST, opening


@pytest.mark.parametrize("path", ["vault:labels/c-0001.nii.gz", "vault:", "data:x.nii.gz"])
def test_bars_an_opening(path: str) -> None:
    found = check(replace(HONEST, access=(*(HONEST.access or ()), opening(path))))
    assert (found.outcome, found.code) == ("reject", "SEALED_READ")
    assert found.evidence[0].ref == "b" * 64


def test_bars_until_settled_a_refused_opening_inside() -> None:
    found = check(replace(HONEST, access=(opening("vault:labels/c-0001.nii.gz", "EACCES"),)))
    assert (found.outcome, found.code) == ("flag", "SEALED_READ")


@pytest.mark.parametrize("path", ["vault:", "vault:.", "data:/"])
def test_passes_with_a_note_who_walks_past_the_door(path: str) -> None:
    found = check(replace(HONEST, access=(opening(path, "EACCES"),)))
    assert (found.outcome, found.code) == ("note", "OK_NOTE")


@pytest.mark.parametrize("op", ["stat", "access", "readlink", "xattr", "statfs", "chdir", "watch"])
def test_bars_a_look_that_told_something(op: str) -> None:
    """The size of a label, and when it was written, tell of the label."""
    look = Opening(op, "vault:labels/c-0001.nii.gz", "ok", granted=True)
    assert ruled(look) == "reject"


@pytest.mark.parametrize(
    ("path", "result", "outcome"),
    [
        ("vault:labels/c-0009.nii.gz", "ENOENT", "flag"),
        ("blobs:ab/cdef", "ENOTDIR", "flag"),
        ("unknown:through /proc", "ok", "flag"),
        ("unknown:beyond a descriptor", "ENOENT", "flag"),
        ("jobs:other/out", "EACCES", "flag"),
        ("jobs:other/out", "ok", "reject"),
        ("run:ledger.db", "ok", "reject"),
        ("jobs:.git", "ENOENT", "note"),
        ("run:pyproject.toml", "ENOENT", "note"),
        ("vault:", "ok", "note"),
    ],
)
def test_rules_looks_by_what_they_could_tell(path: str, result: str, outcome: str) -> None:
    """What is not there beside the job's own folder is looked for by honest libraries too."""
    assert ruled(Opening("stat", path, result, granted=result == "ok")) == outcome


def ruled(opening: Opening) -> str:
    """Return the outcome for a record that holds one access."""
    return check(replace(HONEST, access=(AccessFacts("b" * 64, 9, (opening,)),))).outcome


def test_passes_records_without_sealed_places() -> None:
    assert check(HONEST).outcome == "pass"


def test_says_when_nothing_was_recorded() -> None:
    assert check(replace(HONEST, access=None)).outcome == "unchecked"
