"""Whatever goes wrong, a person reads what, where, why and what to do; a script an exit code."""

import errno
import json

import click
import pytest

from amid.cli.base import Session
from amid.cli.errors import AmidUsageError, answer_error, tell
from amid.errors import TableWrong


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


def test_all_problems_are_told_on_demand_and_the_traceback_after_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    try:
        raise Problems
    except Problems as error:
        answer_error(error, Session(verbose=True))

    said = capsys.readouterr().err
    assert said.startswith("amid: 40 problems in the data")
    assert said.index("case-39") < said.index("do:") < said.index("Traceback")


@pytest.mark.parametrize("verbose", [False, True])
def test_a_list_counts_what_it_leaves_out(
    capsys: pytest.CaptureFixture[str], verbose: bool
) -> None:
    listed = [f"line {number}: wrong" for number in range(2, 32)]
    error = TableWrong("30 mistakes", where="cases.csv", why="so", do="correct", listed=listed)

    try:
        raise error
    except TableWrong:
        answer_error(error, Session(verbose=verbose))

    lines = capsys.readouterr().err.partition("Traceback")[0].splitlines()
    told = [line for line in lines if line.startswith("  - ")]
    left = [line for line in lines if "more" in line]
    assert len(told) == 30 if verbose else f"… and {30 - len(told)} more" in left[0]
    assert not (verbose and left)


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


@pytest.mark.parametrize("count", [2, 4, 5, 6])
def test_nothing_is_left_out_to_say_that_one_is(
    capsys: pytest.CaptureFixture[str], count: int
) -> None:
    listed = [f"line {number}: wrong" for number in range(count)]
    error = TableWrong("mistakes", where="cases.csv", why="so", do="correct", listed=listed)

    answer_error(error, Session())

    lines = capsys.readouterr().err.splitlines()
    assert len(lines) < 10
    assert not any("and 1 more" in line for line in lines)
    assert sum(line.startswith("  - ") for line in lines) == (count if count < 6 else 4)
