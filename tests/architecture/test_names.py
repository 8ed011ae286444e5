"""The repository speaks of the product, and of no machine it was written on."""

import re

import pytest

from tests.architecture.tree import ROOT, tracked

# Written so that this file does not contain what it looks for.
PLACES = re.compile(r"(?:^|[\s\"'`(=:,])/(?:work|root|home/[a-z]+)/|pypi[.]org")
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
