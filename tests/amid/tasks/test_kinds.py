"""Kinds are found by name, asked in each room's words, and loaded no earlier than needed."""

import subprocess
import sys
from types import ModuleType

import pytest

from amid.kinds.classification import checks as c_checks
from amid.kinds.classification import contract as c_contract
from amid.kinds.classification import decoding as c_decoding
from amid.kinds.classification import package as c_package
from amid.kinds.classification import planning as c_planning
from amid.kinds.classification import profile as c_profile
from amid.kinds.classification import report as c_report
from amid.kinds.classification import review as c_review
from amid.kinds.segmentation import checks as s_checks
from amid.kinds.segmentation import contract as s_contract
from amid.kinds.segmentation import decoding as s_decoding
from amid.kinds.segmentation import package as s_package
from amid.kinds.segmentation import planning as s_planning
from amid.kinds.segmentation import profile as s_profile
from amid.kinds.segmentation import report as s_report
from amid.kinds.segmentation import review as s_review
from amid.package.kind import PackagePart
from amid.planning.kind import PlanningPart
from amid.profile.kind import ProfilePart
from amid.report.kind import ReportPart
from amid.review.decode import DecodingPart
from amid.review.kind import ChecksPart, ReviewPart
from amid.tasks import kinds

ANSWERS: tuple[kinds.ContractPart, ...] = (c_contract, s_contract)
DECODING: tuple[DecodingPart, ...] = (c_decoding, s_decoding)
CHECKS: tuple[ChecksPart, ...] = (c_checks, s_checks)
PACKAGE: tuple[PackagePart, ...] = (c_package, s_package)
REPORT: tuple[ReportPart, ...] = (c_report, s_report)
PLANNING: tuple[PlanningPart, ...] = (c_planning, s_planning)
PROFILE: tuple[ProfilePart, ...] = (c_profile, s_profile)
REVIEW: tuple[ReviewPart, ...] = (c_review, s_review)
"""That a module answers its room's protocol is checked by mypy, here."""


def test_every_kind_here_answers_about_contracts() -> None:
    answers = [kinds.contract_part(kind) for kind in kinds.places()]

    assert answers == list(ANSWERS)


def test_an_unknown_kind_is_named_with_those_there_are() -> None:
    with pytest.raises(KeyError, match=r"'origami': there are classification, segmentation"):
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
