"""What a user can meet is written down: every command, event, error and reason."""

import re
from functools import cache
from pathlib import Path

import pytest

from amid.cli import cli
from ledger.events.union import CATALOGUE
from scripts import reference
from tests.architecture.tree import ROOT

DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))


@cache
def documents() -> str:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return "\n".join(page.read_text() for page in sorted(pages))


@pytest.mark.parametrize("name", sorted(reference.PAGES))
def test_the_reference_is_current(name: str) -> None:
    written = (reference.FOLDER / name).read_text()

    assert written == reference.page(name), "run `make docs`"


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_the_readme_names_every_command(name: str) -> None:
    assert f"amid {name}" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_every_event_is_documented(name: str) -> None:
    assert f"`{name}`" in documents()


def test_every_check_and_reason_is_documented() -> None:
    from amid.review.checks import every_check
    from amid.review.rules import ADVICE, ENDS

    missing = [name for name in (*every_check(), *ADVICE, *ENDS) if f"`{name}`" not in documents()]

    assert missing == []


def test_the_architecture_fits_a_few_pages() -> None:
    lines = (ROOT / "ARCHITECTURE.md").read_text().splitlines()

    assert len(lines) <= 150


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_says_what_was_weighed(path: Path) -> None:
    text = path.read_text()

    heads = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    assert heads == ["Context", "Options", "Decision", "Consequences", "Revisit when"]
    assert 25 <= len(text.splitlines()) <= 70
    assert path.stem in (ROOT / "docs" / "decisions" / "README.md").read_text()


def test_decisions_are_numbered_without_gaps() -> None:
    assert [int(path.stem[:4]) for path in DECISIONS] == list(range(1, len(DECISIONS) + 1))


def test_links_between_documents_lead_somewhere() -> None:
    broken = []
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            if not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")

    assert broken == []


PLACE = re.compile(r"`((?:amid|ledger|runtime|projections|replay|tests|scripts)[/.][\w./-]+)`")
STORED = {"ledger.db", "ledger.db-wal", "ledger.db-shm"}
"""Files of a run, not of the repository."""


def test_no_document_names_a_module_that_is_not_there() -> None:
    named = {place for place in PLACE.findall(documents()) if place not in STORED}

    assert sorted(place for place in named if not _is_there(place)) == []


def _is_there(place: str) -> bool:
    """Whether a path, a module or a name inside a module is in the repository."""
    if "/" in place:
        return (ROOT / place).exists()

    parts = place.split(".")
    folders = [ROOT.joinpath(*parts[:count]) for count in range(len(parts), 1, -1)]
    return any(path.is_dir() or path.with_suffix(".py").is_file() for path in folders)


def test_few_modules_lie_loose_in_the_domain() -> None:
    loose = sorted(path.name for path in (ROOT / "amid").glob("*.py"))

    assert loose == ["__init__.py", "__main__.py", "documents.py", "errors.py"]
