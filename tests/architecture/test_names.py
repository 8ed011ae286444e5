"""The repository speaks of the product, and of no machine it was written on."""

import re

import pytest

from tests.architecture.tree import ROOT, tracked

# Put together here, so that this file does not contain what it looks for.
_PARTS = ("/" + "work/", "/" + "root/", "/" + "home/[a-z]+/", "pypi" + r"\.org")
PLACES = re.compile("|".join(_PARTS))
SKIPPED = {"LICENSE"}


def texts() -> list[str]:
    return [
        str(path.relative_to(ROOT))
        for path in tracked()
        if path.name not in SKIPPED and b"\0" not in path.read_bytes()[:8192]
    ]


@pytest.mark.parametrize("name", texts())
def test_no_file_names_a_machine(name: str) -> None:
    lines = (ROOT / name).read_text(errors="replace").splitlines()

    assert [] == [f"{i}: {line}" for i, line in enumerate(lines, 1) if PLACES.search(line)]
