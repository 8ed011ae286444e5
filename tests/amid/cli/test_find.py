"""`amid show` finds one thing, or says which ones an ID could mean."""

from pathlib import Path

import orjson
import pytest

from amid.cli.find import Ambiguous, Index, Unknown
from amid.cli.folder import Row
from ledger.events.base import Fact, type_of
from ledger.events.job import Input, JobRequested, Limits
from ledger.events.key import key_of
from ledger.events.review import ReviewRequested
from ledger.events.run import RunAborted
from ledger.events.union import dump
from ledger.events.work import NoteLeft, WorkerSpawned

NOTE = "abcd" + "0" * 60
OTHER = "abce" + "0" * 60
JOB = JobRequested(
    subject="a-lane-explorer-r1s1t1",
    kind="train",
    fold="f1",
    command=("python", "train.py"),
    inputs=(Input(kind="view", name="train/f1", digest="1" * 64),),
    limits=Limits(wall_s=1, cpu_s=1, memory_mib=1, output_mib=1, processes=1),
    sandbox="landlock",
    seed=1,
    threads=1,
    steps=1,
    epoch=1,
)
EVENTS: tuple[Fact, ...] = (
    WorkerSpawned(
        worker="w-lane-explorer-r1s1", agent="recipe", role="explorer", lane="lane", round=1, slot=1
    ),
    JOB,
    JOB.model_copy(update={"epoch": 2}),
    ReviewRequested(attempt="a-lane-explorer-r1s1t1"),
    ReviewRequested(attempt="a-lane-explorer-r1s1t2"),
    NoteLeft(worker="w-lane-explorer-r1s1", turn=1, note=NOTE),
    NoteLeft(worker="w-lane-explorer-r1s1", turn=2, note=OTHER),
    RunAborted(because="the disk is gone"),
)


def row(seq: int, event: Fact) -> Row:
    return Row(
        seq=seq,
        at_us=1_700_000_000_000_000 + seq,
        type=type_of(type(event)),
        v=1,
        body=orjson.dumps(dump(event)),
        hash=f"{seq:02x}" * 32,
        body_hash=f"{seq + 128:02x}" * 32,
    )


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index.over(tmp_path, [row(seq, event) for seq, event in enumerate(EVENTS, 1)])


def test_a_number_is_an_event(index: Index) -> None:
    found = index.find("8")

    assert (found.kind, found.name) == ("event", "8")
    assert found.to_json()["body"] == {"because": "the disk is gone"}


def test_an_event_is_found_by_its_hash_and_by_that_of_its_body(index: Index) -> None:
    assert index.find("080808").name == "8"
    assert index.find("888888").name == "8"


def test_a_name_that_begins_another_is_exact(index: Index) -> None:
    assert index.find("lane").kind == "lane"
    assert index.find("a-lane-explorer-r1s1t1").kind == "attempt"


def test_a_job_has_one_key_for_all_epochs(index: Index) -> None:
    found = index.find(key_of(JOB)[:10])

    assert found.kind == "job"
    assert [event.seq for event in found.events] == [2, 3]


def test_a_digest_prefix_that_fits_one_blob_is_enough(index: Index, tmp_path: Path) -> None:
    blob = tmp_path / "blobs" / NOTE[:2] / NOTE[2:]
    blob.parent.mkdir(parents=True)
    blob.write_bytes(b"less is more\n")

    told = index.find("abcd").to_json()

    assert told["kind"] == "blob"
    assert (told["bytes"], told["text"]) == (13, "less is more\n")


def test_an_absent_blob_is_said_to_be_absent(index: Index) -> None:
    assert index.find("abcd").to_json()["bytes"] is None


def test_bytes_that_are_no_text_are_counted_only(index: Index, tmp_path: Path) -> None:
    blob = tmp_path / "blobs" / NOTE[:2] / NOTE[2:]
    blob.parent.mkdir(parents=True)
    blob.write_bytes(b"\x1f\x8b\x00\xff")

    assert index.find("abcd").to_json()["text"] is None


def test_an_ambiguous_id_lists_what_it_could_mean(index: Index) -> None:
    with pytest.raises(Ambiguous) as caught:
        index.find("a-lane")

    assert caught.value.exit_code == 2
    assert caught.value.problems == (
        "attempt:a-lane-explorer-r1s1t1",
        "attempt:a-lane-explorer-r1s1t2",
    )


def test_the_kind_settles_what_the_id_leaves_open(index: Index) -> None:
    assert index.find("worker:w-lane").name == "w-lane-explorer-r1s1"


@pytest.mark.parametrize("thing", ["99", "abc", "zz", "", "blob:", "planet:mars"])
def test_what_is_not_there_is_not_guessed(index: Index, thing: str) -> None:
    with pytest.raises(Unknown):
        index.find(thing)
