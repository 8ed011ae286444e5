"""What is killed is asked for again, a bounded number of times, and never becomes a verdict."""

from random import Random

import pytest

from ledger.events.base import Fact
from ledger.events.job import JobGivenUp, JobKind, JobLost, JobRequested
from ledger.events.review import CheckFound, VerdictGiven
from ledger.events.run import RunFinished, RunResumed
from ledger.events.work import AttemptExecuted
from projections.jobs import Job
from replay.redecide import redecide
from runtime.intents import JobIntent, SessionIntent
from runtime.policy import Policy
from tests.runtime.pure import Pure
from tests.runtime.world import World


class Killed(Pure):
    """A run in which one job of a kind is killed, the first `times` times."""

    kind: JobKind
    times: int
    victim: str = ""

    def outcome(self, intent: JobIntent | SessionIntent) -> tuple[Fact, ...]:
        if isinstance(intent, JobIntent) and intent.job.request.kind == self.kind and self.times:
            self.victim = self.victim or intent.job.key
            if intent.job.key == self.victim:
                self.times -= 1
                return self.lost(intent)

        return tuple(super().outcome(intent))


def killed(kind: JobKind, times: int) -> Killed:
    """Play a run to its end."""
    run = Killed(World(), test=3, cause="ended")
    run.kind, run.times = kind, times
    run.play(Random(1))
    return run


def of(run: Pure, kind: type[Fact]) -> list[Fact]:
    """Return the events of one class."""
    return [fact for fact in run.log if isinstance(fact, kind)]


def jobs(run: Pure, kind: JobKind) -> list[Job]:
    """Return the jobs of one kind."""
    return [job for job in run.state.jobs if job.request.kind == kind]


KINDS: tuple[JobKind, ...] = ("null", "train", "predict", "decode", "review", "test", "package")


@pytest.mark.parametrize("kind", KINDS)
def test_killed_less_often_than_the_policy_allows_changes_nothing(kind: JobKind) -> None:
    """Given two kills of a job, then the third hand-out ends the run as if nothing had been."""
    quiet, disturbed = killed(kind, 0), killed(kind, Policy().losses_most - 1)

    assert set(disturbed.decided()) == set(quiet.decided())
    assert not of(disturbed, JobGivenUp)


@pytest.mark.parametrize("kind", KINDS)
def test_killed_each_time_is_given_up_after_a_bounded_number(kind: JobKind) -> None:
    run = killed(kind, Policy().losses_most)

    assert len(of(run, JobLost)) == Policy().losses_most
    assert len(of(run, JobGivenUp)) == 1


@pytest.mark.parametrize("kind", ["decode", "review"])
def test_a_reviewer_that_is_killed_gives_no_verdict(kind: JobKind) -> None:
    """Given a decoder or scorer that never ends, then the attempt waits for a person."""
    run = killed(kind, Policy().losses_most)
    found = [f for f in of(run, CheckFound) if isinstance(f, CheckFound) and "-job/" in f.check]
    verdicts = [v for v in of(run, VerdictGiven) if isinstance(v, VerdictGiven)]

    assert [(f.outcome, f.code) for f in found] == [("flag", "UNCHECKED")]
    assert [v.codes for v in verdicts if v.attempt == found[0].attempt] == [("UNCHECKED",)]


@pytest.mark.parametrize("kind", ["train", "predict"])
def test_an_attempt_whose_job_is_lost_each_time_failed_by_no_fault(kind: JobKind) -> None:
    run = killed(kind, Policy().losses_most)
    made = [x for x in of(run, AttemptExecuted) if isinstance(x, AttemptExecuted)]

    assert [x.code for x in made if x.outcome == "failed"] == ["LOST"]


@pytest.mark.parametrize("kind", ["null", "test", "package"])
def test_what_the_run_cannot_do_without_waits_for_resume(kind: JobKind) -> None:
    """Given an export that is killed each time, then the run is not over: resume exports."""
    run = killed(kind, Policy().losses_most)
    (end,) = of(run, RunFinished)

    assert isinstance(end, RunFinished)
    assert end.outcome == "package"
    assert len(of(run, RunResumed)) == 1
    asked = [f for f in of(run, JobRequested) if isinstance(f, JobRequested) and f.kind == kind]
    assert [f.epoch for f in asked] == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", KINDS)
def test_giving_up_is_decided_again_the_same(kind: JobKind) -> None:
    """Given the record of such a run, then today's deciders take the same decisions."""
    run = killed(kind, Policy().losses_most)

    assert redecide(run.log, run.context).problems == ()


def test_an_interrupted_run_gives_nothing_up() -> None:
    """Given a person who stops the run again and again, then that says nothing of a job."""
    run = Killed(World(), cause="interrupted")
    run.kind, run.times = "train", 20
    run.play(Random(1))

    assert not of(run, JobGivenUp)
