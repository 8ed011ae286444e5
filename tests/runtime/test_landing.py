"""What comes back from a port becomes facts, and what may not come in is refused."""

import json
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.codes import JobEnd
from ledger.events.job import AccessRecorded, JobFailed, JobKind, JobLost, JobRequested
from ledger.events.key import key_of
from ledger.events.work import SessionFailed, SessionRequested
from projections.run import RunState
from runtime import landing
from runtime.ports import Access, JobOutcome, Refusal
from runtime.private import private
from tests.runtime.test_loop import Played
from tests.runtime.world import PlayedDomain, World

PATIENT = Refusal("open", "data:patient-7.nii.gz", "EACCES")


def request(folder: Path, *, epoch: int = 1) -> JobRequested:
    """Return a train request of a played run, under some epoch."""
    played = Played(folder / "played", World())
    played.go()
    found = next(e for e in played.events() if isinstance(e, JobRequested) and e.kind == "train")
    return found.model_copy(update={"epoch": epoch})


def outcome(asked: JobRequested, status: str, record: Path | None = None) -> JobOutcome:
    """Return how the job of a request ended."""
    return JobOutcome(
        key=key_of(asked),
        epoch=asked.epoch,
        status=status,  # type: ignore[arg-type]
        reason="the wrapper is gone",
        outputs=(),
        log=None,
        stopped_at=None,
        assurance="none",
        access=Access(record, 1, (PATIENT, PATIENT), 2, "strace", complete=True),
        wall_ms=1,
        cpu_ms=1,
        max_rss_kib=1,
    )


def ended(asked: JobRequested, came: JobOutcome, folder: Path) -> tuple[Fact, ...]:
    """Return the facts of an outcome."""
    blobs = BlobStore(folder / "blobs")
    place = folder / "jobs" / came.key
    return tuple(landing.job_ended(asked, place, came, PlayedDomain(World()), blobs.put))


def test_a_lost_job_is_lost_and_not_failed(tmp_path: Path) -> None:
    """Given a wrapper that was killed, then the job is asked for again; nobody did wrong."""
    asked = request(tmp_path)
    (fact,) = ended(asked, outcome(asked, "lost"), tmp_path)
    assert isinstance(fact, JobLost)
    assert (fact.key, fact.epoch) == (key_of(asked), 1)


@pytest.mark.parametrize("kind", ["null", "decode", "review", "test", "package"])
@pytest.mark.parametrize("code", ["SIGNAL", "RECORD_BROKEN", "SANDBOX_FAILED", "DEFECT"])
def test_our_own_code_that_was_killed_is_lost(tmp_path: Path, kind: JobKind, code: JobEnd) -> None:
    """Given a reviewer or exporter killed by a signal, then that is no verdict on anything."""
    asked = request(tmp_path).model_copy(update={"kind": kind})
    came = replace(outcome(asked, "failed"), code=code)
    (*_, fact) = ended(asked, came, tmp_path)
    assert isinstance(fact, JobLost)
    assert fact.cause == "ended"


@pytest.mark.parametrize(
    ("kind", "code"),
    [("train", "SIGNAL"), ("predict", "SIGNAL"), ("decode", "EXIT"), ("decode", "MEMORY_LIMIT")],
)
def test_what_a_job_did_itself_has_failed(tmp_path: Path, kind: JobKind, code: JobEnd) -> None:
    """Given an attempt's own code that dies, or a limit reached, then the job has failed."""
    asked = request(tmp_path).model_copy(update={"kind": kind})
    came = replace(outcome(asked, "failed"), code=code)
    (*_, fact) = ended(asked, came, tmp_path)
    assert isinstance(fact, JobFailed)
    assert fact.code == code


@pytest.mark.parametrize(
    ("kind", "path", "complete", "expected"),
    [
        ("train", "view:x", True, "bitwise"),
        ("train", "view:x", False, None),
        ("train", "other:/dev/nvidia0", True, "statistical"),
        ("predict", "other:/dev/dri/renderD128", True, "statistical"),
        ("probe", "view:x", True, "statistical"),
    ],
)
def test_the_class_of_reproduction_follows_from_the_record(
    tmp_path: Path, kind: JobKind, path: str, complete: bool, expected: str | None
) -> None:
    """Given what a job opened, then that says whether the same bytes are to be expected."""
    record = tmp_path / "access.jsonl"
    line = {"pid": 1, "ppid": 0, "op": "open", "path": path, "dev": 1, "ino": 2, "result": "ok"}
    record.write_text(json.dumps(line) + "\n")
    asked = request(tmp_path).model_copy(update={"kind": kind})
    came = outcome(asked, "finished", record)
    came = replace(came, access=replace(came.access, complete=complete))
    assert landing.reproduction(asked, came) == expected


def test_a_job_that_nothing_recorded_promises_nothing(tmp_path: Path) -> None:
    asked = request(tmp_path)
    assert landing.reproduction(asked, outcome(asked, "finished")) is None


def test_no_real_id_stands_in_an_access_record_or_its_event(tmp_path: Path) -> None:
    """Given a reach for a patient's file, then event and blob name it by alias."""
    line = {"pid": 1, "ppid": 0, "op": "open", "path": PATIENT.path, "dev": 1, "ino": 2}
    plain = {**line, "path": "out:x"}
    record = tmp_path / "access.jsonl"
    record.write_text("".join(json.dumps(x | {"result": "EACCES"}) + "\n" for x in (line, plain)))
    asked = request(tmp_path)
    access = ended(asked, outcome(asked, "finished", record), tmp_path)[0]
    assert isinstance(access, AccessRecorded)
    assert [d.path for d in access.denied] == ["data:c-0007.nii.gz"]
    assert access.record is not None
    stored = BlobStore(tmp_path / "blobs").read(access.record).splitlines()
    assert [orjson.loads(x)["path"] for x in stored] == ["data:c-0007.nii.gz", "out:x"]
    assert b"patient" not in b"".join(stored)


@pytest.mark.parametrize("members", [("a-nobody",), ("a-fancy-explorer-r1s2t1", "a-nobody")])
def test_a_finalizer_that_averages_strangers_is_refused_and_the_run_ends(
    tmp_path: Path, members: tuple[str, ...]
) -> None:
    """Given members that are no candidates, then the turn fails; no decider trips over them."""
    played = Played(tmp_path, World())
    played.agent.chooses = members
    state = played.go()
    failed = [e for e in played.events() if isinstance(e, SessionFailed)]
    assert "is no candidate" in failed[0].reason
    assert state.task.finished is not None
    assert state.task.finished.outcome == "refused"


def test_what_was_not_accepted_is_not_held_against_another_lane(tmp_path: Path) -> None:
    """Given a rejected attempt, then a later review is not told of it."""
    world = World(verdict=lambda a: "reject" if "fancy" in a else "accept", payload="same")
    played = Played(tmp_path, world)
    state = RunState.of(played.events())
    played.go()
    told: dict[str, set[str]] = {}

    for event in played.events():
        state.apply(event)
        if isinstance(event, JobRequested) and event.kind == "review":
            job = state.jobs.get(key_of(event))
            assert job is not None
            earlier = orjson.loads(private(state, job, tmp_path, lambda _: ())["earlier"])
            told[event.subject] = {e["attempt"] for e in earlier}

    final = next(a for a in told if "finalizer" in a)
    own = {a: a.rpartition("t")[0] for a in told}
    assert told[final] == set()
    assert any(told.values())
    assert not [
        other for a, others in told.items() for other in others
        if "fancy" in other and own[other] != own[a]
    ]  # fmt: skip


def test_a_brief_reads_back_as_it_was_asked(tmp_path: Path) -> None:
    played = Played(tmp_path, World())
    played.go()
    asked = [e for e in played.events() if isinstance(e, SessionRequested)]
    briefs = [landing.read_brief(e.prompt) for e in asked]
    assert [b.worker for b in briefs] == [e.worker for e in asked]
    assert any(b.past for b in briefs)
