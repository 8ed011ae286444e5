"""Commands that look at a run show what its ledger holds, and change nothing in the folder."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from blake3 import blake3

from amid.cli import call
from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.run import Code, RunFinished, RunStarted, SeedDrawn
from ledger.events.stored import to_new
from ledger.events.work import NoteLeft
from ledger.store import Ledger

ENDED = RunFinished(outcome="stopped", because="it was asked to")


def facts(run: Path) -> Iterator[Fact]:
    blobs = BlobStore(run / "blobs")
    code = Code(version="0.1.0", commit=None, dirty=False, lock=None)
    yield RunStarted(run="ab" * 16, task=blobs.put(b"[task]\n"), settings=(), code=code)
    yield SeedDrawn(seed=7, origin="option")
    yield NoteLeft(worker="w-lane-explorer-r1s1", turn=1, note=blobs.put(b"try less\n"))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    with Ledger.create(folder / "ledger.db") as ledger:
        ledger.acquire()
        ledger.append([to_new(fact) for fact in facts(folder)])

    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_events_are_told_in_order(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["tail", str(run), "--once"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "3"]
    assert lines[1].endswith("seed 7 (option)")


def test_the_last_events_alone(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["tail", str(run), "--once", "-n", "1"]) == 0

    assert "w-lane-explorer-r1s1 left notes" in capsys.readouterr().out


def test_json_is_one_object(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["tail", str(run), "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "tail/1"
    assert [event["seq"] for event in told["events"]] == [1, 2, 3]
    assert told["events"][1]["body"] == {"seed": 7, "origin": "option"}


def test_following_ends_with_the_run(run: Path) -> None:
    # Given a reader that waits for more
    command = [sys.executable, "-m", "amid", "tail", str(run)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tail:
        assert tail.stdout is not None
        seen = [tail.stdout.readline() for _ in range(3)]

        # When the run is over
        with Ledger.open(run / "ledger.db") as ledger:
            ledger.acquire()
            ledger.append([to_new(ENDED)])

        rest = tail.stdout.read()

    # Then the reader has seen it and is gone
    assert [line.split()[0] for line in seen] == ["1", "2", "3"]
    assert "the run is over: stopped, it was asked to" in rest
    assert tail.returncode == 0


def test_a_blob_is_shown_with_who_names_it(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest = BlobStore(run / "blobs").put(b"try less\n")

    assert call(["show", str(run), digest[:8], "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert (told["kind"], told["id"], told["text"]) == ("blob", digest, "try less\n")
    assert [event["seq"] for event in told["events"]] == [3]


def test_an_event_is_shown_whole(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["show", str(run), "2"]) == 0

    said = capsys.readouterr().out
    assert "run.seed_drawn" in said
    assert "seed:   7" in said


def test_the_standing_is_told(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["status", str(run), "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["run"], told["events"]) == ("status/1", "ab" * 16, 3)


def test_watching_ends_with_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Ledger.open(run / "ledger.db") as ledger:
        ledger.acquire()
        ledger.append([to_new(ENDED)])

    assert call(["status", str(run), "--watch"]) == 0
    assert "ended" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [["status"], ["tail", "--once"], ["show", "1"], ["verify"], ["replay"]],
    ids=lambda arguments: arguments[0],
)
def test_looking_changes_nothing(run: Path, arguments: list[str]) -> None:
    before = content(run)
    name, *rest = arguments

    call([name, str(run), *rest])

    assert content(run) == before


@pytest.mark.parametrize(
    "change", ["body = x'ff00'", "body = cast('[1]' as blob)", "at_us = 9223372036854775807"]
)
@pytest.mark.parametrize("words", [["tail", "RUN", "--once"], ["show", "RUN", "2"]], ids=" ".join)
def test_an_altered_event_is_shown_as_it_stands(run: Path, change: str, words: list[str]) -> None:
    with sqlite3.connect(run / "ledger.db") as ledger:
        for (name,) in ledger.execute("select name from sqlite_master where type = 'trigger'"):
            ledger.execute(f'drop trigger "{name}"')
        ledger.execute(f"update events set {change} where seq = 2")  # noqa: S608
    ledger.close()

    assert call([str(run) if word == "RUN" else word for word in words]) == 0


def test_an_unknown_event_is_refused_without_a_traceback(run: Path) -> None:
    with sqlite3.connect(run / "ledger.db") as ledger:
        for (name,) in ledger.execute("select name from sqlite_master where type = 'trigger'"):
            ledger.execute(f'drop trigger "{name}"')
        ledger.execute("update events set type = 'foo.bar' where seq = 2")
    ledger.close()

    done = subprocess.run(
        [sys.executable, "-m", "amid", "status", str(run)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 3
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["report", "RUN", "-o", "RUN/ledger.db"],
        ["rebuild", "RUN", "-o", "RUN/blobs/x"],
        ["replay", "RUN", "--reproduce", "all", "-o", "RUN/x"],
    ],
    ids=" ".join,
)
def test_nothing_is_written_into_the_run_that_is_looked_at(run: Path, words: list[str]) -> None:
    before = content(run)

    assert call([word.replace("RUN", str(run)) for word in words]) == 2

    assert content(run) == before


HOSTILE = b"\x1b[2J\xc2\x9b31m\xe2\x80\xae gone \x07\n"


@pytest.fixture
def hostile(run: Path) -> Path:
    """A run with a blob that steers a terminal."""
    note = NoteLeft(worker="w", turn=2, note=BlobStore(run / "blobs").put(HOSTILE))
    with Ledger.open(run / "ledger.db") as ledger:
        ledger.acquire()
        ledger.append([to_new(note)])

    return run


def shown(run: Path, *more: str) -> list[str]:
    digest = blake3(HOSTILE).hexdigest()
    return [sys.executable, "-m", "amid", "show", str(run), f"blob:{digest[:12]}", *more]


def test_what_steers_a_terminal_is_escaped(hostile: Path) -> None:
    piped = subprocess.run(shown(hostile), capture_output=True, check=True).stdout
    assert b"\\x1b[2J\\x9b31m\\u202e gone \\x07" in piped

    told = subprocess.run(shown(hostile, "--json"), capture_output=True, check=True).stdout
    assert json.loads(told)["text"] == HOSTILE.decode()
    assert not set(told.decode()) & set("\x1b\x9b\u202e\x07")


def test_a_file_gets_it_as_it_is(hostile: Path, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out:
        subprocess.run(shown(hostile), stdout=out, check=True)

    assert b"\x1b[2J" in (tmp_path / "out").read_bytes()


def test_raw_prints_the_bytes_and_nothing_else(hostile: Path) -> None:
    assert subprocess.run(shown(hostile, "--raw"), capture_output=True).stdout == HOSTILE
    raw = subprocess.run(
        [sys.executable, "-m", "amid", "show", str(hostile), "2", "--raw"], capture_output=True
    )
    assert json.loads(raw.stdout) == {"seed": 7, "origin": "option"}


def test_raw_needs_something_that_has_bytes(
    hostile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["show", str(hostile), "worker:w", "--raw"]) == 2
    assert "no bytes to print" in capsys.readouterr().err
