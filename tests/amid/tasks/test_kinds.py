"""Kinds are found by name, asked in each room's words, and loaded no earlier than needed."""

import subprocess
import sys
from types import ModuleType

import pytest

from amid.kinds.segmentation import (
    checks,
    contract,
    decoding,
    package,
    planning,
    profile,
    report,
    review,
)
from amid.package.kind import PackagePart
from amid.planning.kind import PlanningPart
from amid.profile.kind import ProfilePart
from amid.report.kind import ReportPart
from amid.review.decode import DecodingPart
from amid.review.kind import ChecksPart, ReviewPart
from amid.tasks import kinds

ANSWERS: tuple[kinds.ContractPart, ...] = (contract,)
DECODING: tuple[DecodingPart, ...] = (decoding,)
CHECKS: tuple[ChecksPart, ...] = (checks,)
PACKAGE: tuple[PackagePart, ...] = (package,)
REPORT: tuple[ReportPart, ...] = (report,)
PLANNING: tuple[PlanningPart, ...] = (planning,)
PROFILE: tuple[ProfilePart, ...] = (profile,)
REVIEW: tuple[ReviewPart, ...] = (review,)
"""That a module answers its room's protocol is checked by mypy, here."""


def test_every_kind_here_answers_about_contracts() -> None:
    answers = [kinds.contract_part(kind) for kind in kinds.places()]

    assert answers == list(ANSWERS)


def test_an_unknown_kind_is_named_with_those_there_are() -> None:
    with pytest.raises(KeyError, match=r"'origami': there are segmentation"):
        kinds.part("origami", "contract")


def test_a_kind_of_one_module_answers_every_room(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = ModuleType("planted_kind")
    monkeypatch.setitem(sys.modules, "planted_kind", planted)
    monkeypatch.setattr(kinds, "places", lambda: {"planted": "planted_kind"})

    assert kinds.part("planted", "contract") is planted
    assert kinds.part("planted", "review") is planted


def test_naming_a_kind_loads_no_numbers() -> None:
    code = (
        "import sys; from amid.tasks import kinds; kinds.contract_part('segmentation');"
        "sys.exit('numpy' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_kind_answers_every_room() -> None:
    rooms = {
        "checks": CHECKS,
        "decoding": DECODING,
        "package": PACKAGE,
        "planning": PLANNING,
        "profile": PROFILE,
        "report": REPORT,
        "review": REVIEW,
    }

    for room, answers in rooms.items():
        assert [kinds.part(kind, room) for kind in kinds.places()] == list(answers), room
