"""A recorded request gives the same key, words and environment wherever it is carried out."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.events.job import Input, JobRequested, Limits
from ledger.events.work import TreeFile
from runtime.jobspec import (
    argv_of,
    code_digest,
    environment_of,
    is_inside,
    key_of,
    spec,
    view_from_job,
)

LIMITS = Limits(wall_s=60, cpu_s=60, memory_mib=512, output_mib=64, processes=16)


def request(**changes: Any) -> JobRequested:  # noqa: ANN401 - any field of the event
    """Return a train request with some fields changed."""
    values: dict[str, Any] = {
        "subject": "a-atlas-explorer-r1s1t1",
        "kind": "train",
        "fold": "f1",
        "command": ("python", "train.py"),
        "inputs": (Input(kind="view", name="train/f1", digest="0" * 64),),
        "limits": LIMITS,
        "sandbox": "landlock",
        "seed": 7,
        "threads": 1,
        "steps": 0,
        "epoch": 1,
    }
    return JobRequested(**(values | changes))


def test_the_key_does_not_know_the_epoch() -> None:
    """A second hand-out of the same work finds the first one's folder."""
    assert key_of(request(epoch=1)) == key_of(request(epoch=2))


@pytest.mark.parametrize("change", [{"seed": 8}, {"fold": "f2"}, {"threads": 2}, {"steps": 1}])
def test_the_key_knows_everything_else(change: dict[str, Any]) -> None:
    """Other work has another key."""
    assert key_of(request(**change)) != key_of(request())


def test_an_attempts_script_runs_from_its_code_folder() -> None:
    """Hash randomisation stays off, so `-E` must not be among the options."""
    assert argv_of(request()) == ("python", "-s", "-B", "in/code/train.py")


def test_our_own_command_is_left_alone() -> None:
    """A trusted job's words are the recorded ones."""
    command = ("python", "-I", "-m", "amid.review")
    assert argv_of(request(kind="review", sandbox="trusted", command=command)) == command


@pytest.mark.parametrize(
    "command",
    [(), ("python",), ("sh", "x.sh"), ("python", "-c"), ("python", "../x.py"), ("python", "/x.py")],
)
def test_a_command_outside_the_commit_is_refused(command: tuple[str, ...]) -> None:
    """Only a script of the frozen commit may be run."""
    with pytest.raises(ValueError, match="commit"):
        argv_of(request(command=command))


def test_the_environment_is_made_from_nothing() -> None:
    """Every path in it is relative, because outputs may embed them."""
    environment = environment_of(request(), data=view_from_job("train/f1", "ab" * 32))

    assert environment["AMID_DATA"] == "../../views/train-f1-abababababab"
    assert environment["PYTHONHASHSEED"] == "0"
    assert environment["AMID_STOP_AT"] == ""
    assert not [value for value in environment.values() if value.startswith("/")]


def test_private_paths_reach_trusted_jobs_only() -> None:
    """A sandboxed job never learns where the run lies."""
    places: dict[str, Any] = {
        "key": "k",
        "folder": Path("jobs/k"),
        "reads": (),
        "roots": {},
        "data": None,
        "private": {"run": "somewhere"},
    }

    trusted = request(
        kind="null", sandbox="trusted", command=("python", "-I", "-m", "amid.review.nulls")
    )
    assert spec(trusted, **places).private == {"run": "somewhere"}
    assert spec(request(), **places).fold == "f1"
    assert spec(request(), **places).private == {}


def test_the_code_digest_does_not_depend_on_order() -> None:
    """Files are named by path, mode and content."""
    one = TreeFile(path="a.py", mode="100644", digest="1" * 64, bytes=1)
    two = TreeFile(path="b.py", mode="100644", digest="2" * 64, bytes=1)
    assert code_digest((one, two)) == code_digest((two, one))
    assert code_digest((one,)) != code_digest((two,))


@given(st.text(alphabet="ab./", max_size=8))
def test_inside_means_below(path: str) -> None:
    """What `is_inside` lets through never resolves to a place outside the folder."""
    root = Path("/root-of-all/folder")
    if is_inside(path):
        assert (root / path).resolve().is_relative_to(root)
