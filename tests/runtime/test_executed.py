"""What is executed is told from how it is written: copies are equal, changes are not."""

import pytest
from blake3 import blake3

from ledger.events.work import TreeFile
from runtime.executed import executed_digest

TRAIN = b"""\
\"\"\"Trains.\"\"\"

def main(steps=3):
    \"\"\"Run.\"\"\"
    # as many as were planned
    return [step for step in range(steps)]
"""
TOML = b"""\
lane = "a"
description = "the first"
train = ["python", "train.py"]
[params]
rate = 0.1
"""


def digest(files: dict[str, bytes]) -> str:
    held = {blake3(content).hexdigest(): content for content in files.values()}
    tree = [
        TreeFile(path=path, mode="100644", digest=blake3(content).hexdigest(), bytes=len(content))
        for path, content in files.items()
    ]
    return executed_digest(tree, held.__getitem__)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("train.py", b"    # as many as were planned\n", b"\n\n"),
        ("train.py", b'"""Run."""', b'"""Do all of it, twice as nicely."""'),
        ("train.py", b"(steps=3)", b"( steps = 3 )"),
        ("attempt.toml", b"the first", b"another one"),
        ("attempt.toml", b"rate = 0.1", b"rate = 0.10  # the same"),
    ],
)
def test_layout_and_talk_change_nothing(path: str, old: bytes, new: bytes) -> None:
    files = {"train.py": TRAIN, "attempt.toml": TOML}
    copy = {**files, path: files[path].replace(old, new)}

    assert copy != files
    assert digest(copy) == digest(files)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("train.py", b"range(steps)", b"range(steps + 1)"),
        ("attempt.toml", b"rate = 0.1", b"rate = 0.2"),
        ("attempt.toml", b"train.py", b"other.py"),
    ],
)
def test_what_is_done_decides(path: str, old: bytes, new: bytes) -> None:
    files = {"train.py": TRAIN, "attempt.toml": TOML}

    assert digest({**files, path: files[path].replace(old, new)}) != digest(files)


@pytest.mark.parametrize("content", [b"def (", b"\0", b"\xff\xfe", b"(" * 5000])
def test_what_cannot_be_parsed_counts_by_its_bytes(content: bytes) -> None:
    assert digest({"train.py": content}) != digest({"train.py": content + b" "})
