"""The repository speaks of the product, and of no machine it was written on."""

import re

from tests.architecture.tree import ROOT, tracked

# Written so that this file does not contain what it looks for.
PLACES = re.compile(r"(?:^|[\s\"'`(=:,])/(?:work|root|home/[a-z]+)/|pypi[.]org")
SKIPPED = {"LICENSE"}


def test_no_file_names_a_machine() -> None:
    found = []
    for path in tracked():
        content = path.read_bytes()
        if path.name in SKIPPED or b"\0" in content[:8192]:
            continue

        for number, line in enumerate(content.decode(errors="replace").splitlines(), 1):
            if PLACES.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")

    assert found == []
