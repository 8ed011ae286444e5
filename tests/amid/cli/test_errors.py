"""Whatever goes wrong, a person reads what, where, why and what to do; a script an exit code."""

import errno
import json

import click
import pytest

from amid.cli.base import Session
from amid.cli.errors import AmidUsageError, answer_error, tell


class Refusal(Exception):
    """An error in the shape that all of this product's errors have."""

    exit_code = 4
    what = "another process writes this run"
    where = "some/run"
    why = "two writers would part its history"
    hint = "wait for it"


class Problem:
    def __init__(self, number: int) -> None:
        self.where = f"case-{number}"
        self.says = "the label has another geometry"


class Problems(Exception):
    exit_code = 1
    what = "40 problems in the data"
    where = "cases.csv"
    why = "a model trained on them would be wrong"
    do = "repair them"
    problems = tuple(Problem(number) for number in range(40))


def test_the_four_parts_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    code = answer_error(Refusal(), Session())

    said = capsys.readouterr()
    assert code == 4
    assert said.out == ""
    assert said.err.splitlines() == [
        "amid: another process writes this run",
        "  where: some/run",
        "  why:   two writers would part its history",
        "  do:    wait for it",
    ]


def test_many_problems_stay_under_ten_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer_error(Problems(), Session()) == 1

    lines = capsys.readouterr().err.splitlines()
    assert len(lines) < 10
    assert "  - case-0: the label has another geometry" in lines
    assert any("36 more" in line for line in lines)


def test_all_problems_are_told_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    answer_error(Problems(), Session(verbose=True))

    said = capsys.readouterr().err
    assert "case-39" in said
    assert "Traceback" in said or "Problems" in said


def test_json_holds_everything(capsys: pytest.CaptureFixture[str]) -> None:
    answer_error(Problems(), Session(as_json=True))

    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["exit_code"]) == ("error/1", 1)
    assert len(told["details"]) == 40


def test_a_long_sentence_is_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    answer_error(AmidUsageError("word " * 200, hint="stop"), Session())

    lines = capsys.readouterr().err.splitlines()
    assert len(lines) < 10
    assert all(len(line) <= 200 for line in lines)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (click.UsageError("no"), 2),
        (ModuleNotFoundError("No module named 'x'"), 3),
        (OSError(errno.ENOSPC, "No space left on device", "place"), 3),
        (PermissionError(errno.EACCES, "Permission denied", "place"), 3),
        (ValueError("a defect"), 5),
        (ExceptionGroup("one", [Refusal()]), 4),
        (ExceptionGroup("two", [Refusal(), ValueError()]), 5),
    ],
)
def test_each_kind_has_its_exit_code(error: BaseException, code: int) -> None:
    assert tell(error).exit_code == code


def test_a_defect_asks_for_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise RuntimeError("unexpected")
    except RuntimeError as error:
        answer_error(error, Session())

    said = capsys.readouterr().err
    assert "RuntimeError: unexpected" in said
    assert "Traceback" not in said
    assert "-v" in said


def test_whoever_stops_reading_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer_error(BrokenPipeError(), Session()) == 0
    assert capsys.readouterr().err == ""


def test_of_several_refusals_the_first_is_told() -> None:
    refusals = [AmidUsageError("said", hint="do"), AmidUsageError("also", hint="do")]
    told = tell(ExceptionGroup("two", refusals))

    assert (told.exit_code, told.what) == (2, "said")
