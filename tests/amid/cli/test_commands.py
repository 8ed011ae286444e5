"""The command line itself: names, options, streams and exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from amid.cli import call, cli

COMMANDS = (
    "init", "run", "resume", "demo", "status", "tail", "show", "verify", "replay", "rebuild",
    "report", "straighten", "doctor", "events",
)  # fmt: skip


def test_the_commands_are_listed_in_the_order_of_work() -> None:
    assert tuple(cli.list_commands(click.Context(cli))) == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call([name, "--help"]) == 0

    assert "Usage: amid " + name in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_shows_whole_sentences(name: str) -> None:
    assert not cli.commands[name].get_short_help_str(62).endswith("...")


@pytest.mark.parametrize(
    "arguments",
    [["vrify"], ["verify"], ["run", "task"], ["replay", "RUN", "--seed", "x"], ["--nonsense"]],
)
def test_wrong_use_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert call(arguments) == 2

    said = capsys.readouterr()
    assert said.out == ""
    assert "--help" in said.err


@pytest.mark.parametrize("arguments", [[], ["events"]])
def test_no_command_shows_the_help_as_it_is(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(arguments) == 2

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("Usage: amid")
    assert "\nCommands:\n" in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["resume"], ["status"], ["tail"], ["verify"], ["replay"],
        ["rebuild", "-o", "x"], ["report", "-o", "x"],
    ],
)  # fmt: skip
def test_what_is_no_run_is_refused_before_anything_else(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *rest = arguments

    assert call([name, str(tmp_path), *rest, "--json"]) == 3

    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "error/1"
    assert told["where"] == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_options_of_a_reproduction_need_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ledger.db").touch()

    assert call(["replay", str(tmp_path), "--seed", "1"]) == 2
    assert "--reproduce" in capsys.readouterr().err


def test_events_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["events", "list", "--json"]) == 0

    listed = json.loads(capsys.readouterr().out)
    assert listed["schema"] == "events/1"
    assert "review.verdict_given" in {event["type"] for event in listed["events"]}


def test_the_schema_describes_stored_bodies(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["events", "schema", "run.seed_drawn"]) == 0

    told = json.loads(capsys.readouterr().out)["events"]["run.seed_drawn"]
    assert set(told["body"]["properties"]) == {"seed", "origin"}
    assert told["body"]["additionalProperties"] is False


def test_an_unknown_event_type_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["events", "schema", "run.started_"]) == 2
    assert "amid events list" in capsys.readouterr().err


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "amid", "--version"], capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith("amid ")


def test_an_interrupt_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_args: object, **_kwargs: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.commands["doctor"], "callback", interrupted)

    assert call(["doctor"]) == 130
    assert "amid resume" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--budget", "soon"], ["--agents", "nobody=2"]])
def test_an_option_that_is_not_understood_is_wrong_use(
    tmp_path: Path, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["run", str(tmp_path), "-o", str(tmp_path / "run"), *option]) == 2
    assert "is not understood" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("deaf", [False, True], ids=["foreground", "background"])
def test_being_told_to_end_is_an_interruption_that_leaves_nothing(
    tmp_path: Path, *, deaf: bool
) -> None:
    code = f"""
import sys, threading, os, signal
signal.signal(signal.SIGINT, signal.SIG_IGN if {deaf} else signal.default_int_handler)
from amid.cli import main
from amid.demo import tiny
from amid.run import making
tiny.make(__import__("pathlib").Path({str(tmp_path / "task")!r}))
making._first_events = lambda *_: os.kill(os.getpid(), signal.SIGTERM) or threading.Event().wait(30)
sys.argv = ["amid", "run", {str(tmp_path / "task")!r}, "-o", {str(tmp_path / "run")!r}, "--json"]
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 130
    assert json.loads(done.stdout)["exit_code"] == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["task"]


def test_a_reproduction_on_a_slow_machine_is_undecided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Given jobs that took too long here, then the answer is neither yes nor no, and exit 6."""
    from amid.run import compose
    from replay.reproduce import Answer

    late = Answer(9, None, (), (), (), ("train a f1: too slow here: wall limit of 3600 s reached",))
    monkeypatch.setattr(compose, "reproduce", lambda *_, **__: late)
    monkeypatch.setattr("amid.cli.folder.check_run", lambda _: None)

    assert call(["replay", str(tmp_path), "--reproduce", "all"]) == 6
    assert "undecided: this machine was too slow" in capsys.readouterr().out
