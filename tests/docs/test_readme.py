"""What the console blocks of the documents promise is what the program does.

Set-up (`make`) and runs on real images are left out; every other command line is executed as it
stands, with one finished tiny run in place of the reader's.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from amid.demo import tiny
from tests.architecture.tree import ROOT

PAGES = ("README.md", "docs/tutorial.md")
NOT_HERE = ("make ", "git clone", ". .venv", "amid run ", "amid demo", "sha256sum")
"""How commands begin that a test does not execute."""


def commands() -> list[str]:
    """Return every command line of the console blocks, once each, in order."""
    lines: list[str] = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(), re.DOTALL):
            lines += [line[2:].partition("#")[0].strip() for line in block.splitlines()
                      if line.startswith("$ ")]  # fmt: skip

    return list(dict.fromkeys(lines))


CHEAP = [line for line in commands() if not line.startswith(NOT_HERE)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run called as in the documents."""
    folder = tmp_path_factory.mktemp("reader")
    tiny.make(folder / "task")
    call(["amid", "run", "task", "-o", "run", "--seed", "7"], folder)
    for name in ("hippocampus-run", "first-run"):
        (folder / name).symlink_to("run")

    return folder


def call(words: list[str], folder: Path) -> None:
    """Run one command line; an answer other than yes fails the test."""
    program = [sys.executable, *(["-m", "amid"] if words[0] == "amid" else [])]
    path = {"PYTHONPATH": str(ROOT), "PATH": "/usr/local/bin:/usr/bin:/bin", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*program, *words[1:]], cwd=folder, env=path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"


def test_the_documents_have_commands_to_try() -> None:
    assert {"amid status", "amid verify", "amid report"} <= {" ".join(c.split()[:2]) for c in CHEAP}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("line", CHEAP)
def test_a_command_of_the_documents_works_as_it_stands(line: str, place: Path) -> None:
    words = shlex.split(line)
    assert words[0] in ("amid", "python"), "a new kind of command: say here how it is tried"
    call(words, place)
