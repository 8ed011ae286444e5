"""The fold says of each event that does not follow from those before it."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.stored import from_record, to_new
from ledger.reader import read
from ledger.store import Ledger
from replay.story import Story
from replay.verify import verify
from tests.ledger.making import ticking
from tests.replay.making import Rules, make_run

Change = Callable[[list[Fact]], list[Fact]]


@pytest.fixture
def log(tmp_path: Path) -> list[Fact]:
    with read(make_run(tmp_path / "run") / "ledger.db") as reader:
        return [from_record(record) for record in reader.records()]


def faults(log: Sequence[Fact]) -> list[str]:
    story = Story()
    return [says for fact in log for says in story.take(fact)]


def test_a_whole_run_follows(log: list[Fact]) -> None:
    assert faults(log) == []


def without(kind: str) -> Change:
    return lambda log: [fact for fact in log if fact.type != kind]


def twice(kind: str) -> Change:
    return lambda log: [again for fact in log for again in [fact] * (1 + (fact.type == kind))]


def altered(kind: str, **values: object) -> Change:
    def change(log: list[Fact]) -> list[Fact]:
        return [f.model_copy(update=values) if f.type == kind else f for f in log]

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without("job.requested"), "is not under way"),
        (twice("job.requested"), "follows epoch 1"),
        (twice("job.finished"), "is not under way"),
        (altered("job.finished", epoch=2), "is not under way"),
        (altered("job.finished", key="5" * 64), "is not under way"),
        (without("worker.spawned"), "cannot be asked for"),
        (twice("worker.spawned"), "spawned before"),
        (without("session.requested"), "is not under way"),
        (twice("session.turn_finished"), "is not under way"),
        (altered("commit.frozen", turn=2), "is not at turn 2"),
        (without("commit.frozen"), "was not frozen"),
        (twice("attempt.submitted"), "handed in before"),
        (without("attempt.submitted"), "never handed in"),
        (altered("attempt.executed", attempt="a-other"), "never handed in"),
        (altered("review.check_found", attempt="a-other"), "never handed in"),
        (altered("review.verdict_given", attempt="a-other"), "was not executed"),
    ],
)
def test_what_does_not_follow_is_said(log: list[Fact], change: Change, says: str) -> None:
    assert says in " ".join(faults(change(log)))


def test_a_ledger_written_anew_with_hashes_that_fit_is_told_by_its_story(
    tmp_path: Path, log: list[Fact]
) -> None:
    forged = tmp_path / "forged"
    (tmp_path / "run").rename(forged)
    (forged / "ledger.db").unlink()
    (forged / "head").unlink()
    with Ledger.create(forged / "ledger.db", clock=ticking()) as ledger:
        ledger.append([to_new(f) for f in altered("attempt.executed", attempt="a-other")(log)])

    answer = verify(forged, domain=Rules())
    assert {problem.code for problem in answer.problems} == {"STORY_BROKEN"}
    assert BlobStore(forged / "blobs").root.is_dir()
