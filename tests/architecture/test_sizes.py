"""Files and functions stay small; the two that grow monsters elsewhere are watched by name."""

import ast
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT, sources

FILE = 400
FUNCTION = 60
WATCHED = {"ledger/store.py": 400, "runtime/loop.py": 300}
"""Where such projects put everything."""

FILES = [str(path.relative_to(ROOT)) for path in sources()]


@pytest.mark.parametrize("name", FILES)
def test_a_file_can_be_read_in_one_sitting(name: str) -> None:
    lines = (ROOT / name).read_text().count("\n")

    assert lines <= WATCHED.get(name, FILE), f"{name} has {lines} lines: split it by what it knows"


@pytest.mark.parametrize("name", FILES)
def test_a_function_fits_a_screen(name: str) -> None:
    assert [] == list(too_long(ROOT / name))


def too_long(path: Path) -> list[str]:
    """Return the functions of a file that are longer than a screen."""
    functions = (
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    sizes = ((f.name, (f.end_lineno or f.lineno) - f.lineno + 1) for f in functions)
    return [f"{name}: {lines} lines" for name, lines in sizes if lines > FUNCTION]
