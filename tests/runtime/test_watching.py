"""What an operator may watch goes to standard error, and only when asked for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime import watching
from tests.runtime.test_loop import Played
from tests.runtime.world import World


@pytest.fixture
def quiet_again() -> Iterator[None]:
    yield
    watching.hide()


def test_nothing_is_said_unless_asked_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Played(tmp_path, World()).go()
    assert capfd.readouterr() == ("", "")


def test_lines_carry_run_and_seq(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], quiet_again: None
) -> None:
    watching.show()
    played = Played(tmp_path, World())
    played.go()
    out, err = capfd.readouterr()
    assert out == ""
    assert "decided" in err
    assert all("run=abababab" in line and "seq=" in line for line in err.splitlines())
    seqs = [int(line.split("seq=")[1].split()[0]) for line in err.splitlines()]
    assert seqs == sorted(seqs)
    assert seqs[-1] == len(played.events())
