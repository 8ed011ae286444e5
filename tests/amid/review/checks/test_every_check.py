"""What holds for each check: id, documentation, tests, purity of its answer."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from amid.review.checks import checks_of, every_check, run_checks
from amid.review.rules import ADVICE
from tests.amid.review.checks.attempts import HONEST

ROOT = Path(__file__).parents[4]
FOLDERS = (ROOT / "amid/review/checks", *sorted((ROOT / "amid/kinds").glob("*/checks")))
PATHS = {
    str(path.relative_to(ROOT)): path
    for folder in FOLDERS
    for path in sorted(folder.glob("*.py"))
    if path.stem not in ("__init__", "evidence")
}
MODULES = {name: path.read_text() for name, path in PATHS.items()}
CHECKS = every_check()


def test_each_module_is_registered_once_under_a_versioned_id() -> None:
    ids = [re.findall(r'^ID = "(.+)"$', text, re.M)[0] for text in MODULES.values()]
    assert sorted(ids) == sorted(CHECKS)
    assert all(re.fullmatch(r"[a-z-]+/[1-9][0-9]*", name) for name in ids)


def test_each_has_a_paragraph_in_the_documentation() -> None:
    text = (ROOT / "docs/reference/checks.md").read_text()
    for name in CHECKS:
        assert f"`{name}`" in text, f"docs/reference/checks.md has no paragraph on {name}"


@pytest.mark.parametrize("name", MODULES)
def test_each_has_a_test_that_bars_and_one_that_passes(name: str) -> None:
    path = ROOT / "tests" / PATHS[name].relative_to(ROOT)
    text = path.with_name(f"test_{path.name}").read_text()
    assert "def test_bars" in text
    assert "def test_passes" in text


def test_each_code_is_in_the_catalogue_and_has_advice() -> None:
    codes = set(re.findall(r'"((?:[A-Z]+_)+[A-Z]+)"', "".join(MODULES.values())))
    assert codes <= set(ADVICE)
    catalogue = ROOT / "tests/amid/review/checks/reason_codes.json"
    assert set(ADVICE) - {"OTHER", "UNCHECKED"} <= set(json.loads(catalogue.read_text()))


def test_an_honest_attempt_passes_every_check() -> None:
    assert {f.outcome for f in run_checks("segmentation", HONEST)} == {"pass"}


def test_each_check_answers_even_about_nothing() -> None:
    nothing = replace(
        HONEST, predictions=(), extras=(), images=(), scores=(), nulls=None, access=None,
        split=replace(HONEST.split, folds=(), inner=(), test=(), group_of={}),
    )  # fmt: skip
    assert [f.check for f in run_checks("segmentation", nothing)] == list(checks_of("segmentation"))


def test_no_check_reads_anything() -> None:
    for name, text in MODULES.items():
        imports = re.findall(r"^\s*(?:from|import) ([\w.]+)", text, re.M)
        allowed = (
            "amid.review.checks",
            "amid.documents",
            "amid.data.space",
            "amid.kinds.segmentation.checks",
            "amid.kinds.classification.checks",
            "ledger.events.codes",
            "ledger.events.review",
            "unicodedata",
            "decimal",
            "collections",
        )
        assert all(i.startswith(allowed) for i in imports), name
