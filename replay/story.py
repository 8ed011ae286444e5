"""Folds the events of a run and says where one does not follow from those before it. Pure.

Every outcome answers something that was asked for and not answered yet, and speaks of what the run
knows. Hashes cannot show this: whoever writes a ledger anew writes hashes that fit. The fold keeps
names only, so its memory grows with jobs and attempts, not with what is said about them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ledger.events import job, review, run, work
from ledger.events.base import Fact
from ledger.events.data import NullScored, ProbeMeasured, SplitFrozen, TestScored
from ledger.events.key import key_of

Epoch = tuple[int, bool]
"""The newest hand-out of a request, and whether it is under way."""


@dataclass(slots=True)
class Attempt:
    """How far one attempt came."""

    role: str
    executed: bool = False
    verdict: str = ""


@dataclass(slots=True)
class Story:
    """What the events so far have asked for, named and settled."""

    jobs: dict[str, Epoch] = field(default_factory=dict)
    """By key."""
    open_jobs: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Key of a job under way to its kind and subject."""
    workers: dict[str, tuple[int, int, bool]] = field(default_factory=dict)
    """Worker to the turn and epoch it was asked for last, and whether that is under way."""
    commits: set[str] = field(default_factory=set)
    lanes: set[str] = field(default_factory=set)
    attempts: dict[str, Attempt] = field(default_factory=dict)
    begun: bool = False
    """Whether the first batch of a run is whole: its split is frozen."""
    packaged: bool = False
    finished: str = ""
    """The outcome of the run; empty while it goes on."""
    last: str = ""
    """Type of the last event."""

    @property
    def under_way(self) -> int:
        """How many jobs and turns were asked for and have no outcome."""
        return len(self.open_jobs) + sum(under_way for *_, under_way in self.workers.values())

    def take(self, fact: Fact) -> list[str]:
        """Take in the next event; return what in it does not follow."""
        faults = [f"it comes after the end of the run: {self.finished}"] if self.finished else []
        rule = _RULES.get(type(fact))

        if rule is not None:
            faults += rule(self, fact)

        self.last = fact.type
        return faults

    def working_on(self, kind: str, subject: str) -> bool:
        """Say whether a job of a kind about a subject is under way."""
        return (kind, subject) in self.open_jobs.values()


def _job_requested(story: Story, fact: job.JobRequested) -> Iterator[str]:
    key = key_of(fact)
    epoch, under_way = story.jobs.get(key, (0, False))

    if under_way or fact.epoch != epoch + 1:
        yield f"epoch {fact.epoch} of job {key[:12]} follows epoch {epoch}"

    story.jobs[key] = fact.epoch, True
    story.open_jobs[key] = fact.kind, fact.subject


def _access(story: Story, fact: job.AccessRecorded) -> Iterator[str]:
    if story.jobs.get(fact.key) != (fact.epoch, True):
        yield f"epoch {fact.epoch} of job {fact.key[:12]} is not under way"


def _job_ended(story: Story, fact: job.JobFinished | job.JobFailed | job.JobLost) -> Iterator[str]:
    yield from _access(story, fact)  # type: ignore[arg-type]  # they name their job alike
    epoch, _ = story.jobs.get(fact.key, (fact.epoch, False))
    story.jobs[fact.key] = epoch, False
    story.open_jobs.pop(fact.key, None)


def _given_up(story: Story, fact: job.JobGivenUp) -> Iterator[str]:
    if story.jobs.get(fact.key) != (fact.epoch, False):
        yield f"epoch {fact.epoch} of job {fact.key[:12]} was not lost"


def _spawned(story: Story, fact: work.WorkerSpawned) -> Iterator[str]:
    if fact.worker in story.workers:
        yield f"worker {fact.worker} was spawned before"

    story.workers[fact.worker] = 0, 0, False


def _of_worker(
    story: Story, fact: work.WorkerStateEntered | work.WorkerRetired | work.NoteLeft
) -> Iterator[str]:
    if fact.worker not in story.workers:
        yield f"no worker {fact.worker} was spawned"


def _session_requested(story: Story, fact: work.SessionRequested) -> Iterator[str]:
    turn, epoch, under_way = story.workers.get(fact.worker, (0, 0, True))

    if under_way or (fact.turn, fact.epoch) not in ((turn + 1, 1), (turn, epoch + 1)):
        yield f"turn {fact.turn}, epoch {fact.epoch} of {fact.worker} cannot be asked for here"

    story.workers[fact.worker] = fact.turn, fact.epoch, True


def _session_ended(
    story: Story, fact: work.TurnFinished | work.SessionFailed | work.SessionLost
) -> Iterator[str]:
    if story.workers.get(fact.worker) != (fact.turn, fact.epoch, True):
        yield f"turn {fact.turn}, epoch {fact.epoch} of {fact.worker} is not under way"

    story.workers[fact.worker] = fact.turn, fact.epoch, False


def _commit(story: Story, fact: work.CommitFrozen) -> Iterator[str]:
    if story.workers.get(fact.worker, (0,))[0] != fact.turn:
        yield f"{fact.worker} is not at turn {fact.turn}"

    story.commits.add(fact.commit)


def _submitted(story: Story, fact: work.AttemptSubmitted) -> Iterator[str]:
    if fact.attempt in story.attempts:
        yield f"attempt {fact.attempt} was handed in before"

    if fact.commit not in story.commits:
        yield f"commit {fact.commit} was not frozen"

    if story.workers.get(fact.worker, (0,))[0] != fact.turn:
        yield f"{fact.worker} is not at turn {fact.turn}"

    story.attempts[fact.attempt] = Attempt(fact.role)


def _executed(story: Story, fact: work.AttemptExecuted) -> Iterator[str]:
    known = story.attempts.get(fact.attempt)

    if known is None or known.executed:
        yield f"attempt {fact.attempt} was {'never handed in' if known is None else 'executed'}"
    else:
        known.executed = True


def _review(story: Story, fact: review.ReviewRequested) -> Iterator[str]:
    known = story.attempts.get(fact.attempt)

    if known is None or not known.executed:
        yield f"attempt {fact.attempt} was not executed"


def _of_attempt(
    story: Story, fact: review.CheckFound | review.ReviewMeasured | work.AttemptVoided
) -> Iterator[str]:
    if fact.attempt not in story.attempts:
        yield f"attempt {fact.attempt} was never handed in"


def _verdict(story: Story, fact: review.VerdictGiven) -> Iterator[str]:
    known = story.attempts.get(fact.attempt)

    if known is None or not known.executed:
        yield f"attempt {fact.attempt} was not executed"
    else:
        known.verdict = fact.verdict


def _after_verdict(
    story: Story, fact: review.FeedbackReleased | review.ReviewResolved
) -> Iterator[str]:
    known = story.attempts.get(fact.attempt)

    if known is None or not known.verdict:
        yield f"attempt {fact.attempt} has no verdict"
    elif isinstance(fact, review.ReviewResolved) and known.verdict == "flag":
        known.verdict = fact.decision


def _nulls(story: Story, _fact: NullScored) -> Iterator[str]:
    if not story.working_on("null", "run"):
        yield "no job of the null models is under way"


def _probe(story: Story, fact: ProbeMeasured) -> Iterator[str]:
    if story.begun and not story.working_on("probe", fact.template):
        yield f"no probe of {fact.template} is under way"


def _tested(story: Story, fact: TestScored) -> Iterator[str]:
    if not story.working_on("test", fact.attempt):
        yield f"no test job of attempt {fact.attempt} is under way"


def _built(story: Story, fact: work.PackageBuilt) -> Iterator[str]:
    known = story.attempts.get(fact.attempt)

    if known is None or (known.role, known.verdict) != ("finalizer", "accept"):
        yield f"attempt {fact.attempt} is no accepted attempt of a finalizer"

    if not story.working_on("package", fact.attempt):
        yield f"no package job of attempt {fact.attempt} is under way"

    story.packaged = True


def _not_built(story: Story, _fact: work.PackageRefused) -> Iterator[str]:
    if "package" not in {kind for kind, _ in story.open_jobs.values()}:
        yield "no package job is under way"


def _proposed(story: Story, fact: work.LaneProposed) -> Iterator[str]:
    story.lanes.add(fact.lane)
    yield from ()


def _of_lane(
    story: Story,
    fact: work.LaneRanked | work.LaneDownranked | work.LaneCovered | work.LanePromotionRefused,
) -> Iterator[str]:
    if fact.lane not in story.lanes:
        yield f"no lane {fact.lane} was proposed"


def _promoted(story: Story, fact: work.LanePromoted) -> Iterator[str]:
    known = story.attempts.get(fact.attempt)

    if known is None or known.verdict != "accept":
        yield f"attempt {fact.attempt} was not accepted"


def _split(story: Story, _fact: SplitFrozen) -> Iterator[str]:
    story.begun = True
    yield from ()


def _finished(story: Story, fact: run.RunFinished) -> Iterator[str]:
    if fact.outcome == "package" and not story.packaged:
        yield "no package was built"

    story.finished = fact.outcome


_RULES: Mapping[type[Fact], Callable[..., Iterator[str]]] = {
    job.JobRequested: _job_requested,
    job.AccessRecorded: _access,
    job.JobFinished: _job_ended,
    job.JobFailed: _job_ended,
    job.JobLost: _job_ended,
    job.JobGivenUp: _given_up,
    work.WorkerSpawned: _spawned,
    work.WorkerStateEntered: _of_worker,
    work.WorkerRetired: _of_worker,
    work.NoteLeft: _of_worker,
    work.SessionRequested: _session_requested,
    work.TurnFinished: _session_ended,
    work.SessionFailed: _session_ended,
    work.SessionLost: _session_ended,
    work.CommitFrozen: _commit,
    work.AttemptSubmitted: _submitted,
    work.AttemptExecuted: _executed,
    work.AttemptVoided: _of_attempt,
    review.ReviewRequested: _review,
    review.CheckFound: _of_attempt,
    review.ReviewMeasured: _of_attempt,
    review.VerdictGiven: _verdict,
    review.FeedbackReleased: _after_verdict,
    review.ReviewResolved: _after_verdict,
    NullScored: _nulls,
    ProbeMeasured: _probe,
    TestScored: _tested,
    work.PackageBuilt: _built,
    work.PackageRefused: _not_built,
    work.LaneProposed: _proposed,
    work.LaneRanked: _of_lane,
    work.LaneDownranked: _of_lane,
    work.LaneCovered: _of_lane,
    work.LanePromotionRefused: _of_lane,
    work.LanePromoted: _promoted,
    SplitFrozen: _split,
    run.RunFinished: _finished,
}


__all__ = ["Story"]
