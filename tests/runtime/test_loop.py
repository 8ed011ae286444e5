"""The loop over a played world: it ends, it can be decided again, and crashes change nothing."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.blobfsck import unnamed
from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.job import JobFailed
from ledger.events.stored import from_record
from ledger.events.union import dump
from ledger.store import Ledger
from projections.run import RunState
from replay.redecide import DECISIONS, redecide
from runtime.decide import Context
from runtime.decide.ranking import order
from runtime.effects import Effects
from runtime.errors import AttemptRefused, Unexpected
from runtime.intents import Intent
from runtime.journal import Journal
from runtime.loop import Clock, drive
from runtime.policy import Policy
from runtime.ports import Manifest
from runtime.recover import reconcile
from tests.runtime.world import (
    PlayedAgent,
    PlayedDomain,
    PlayedExecutor,
    PlayedWorkspace,
    World,
    beginning,
    offer,
)


class Crashed(Exception):
    """The process is gone."""


class Played:
    """A run folder, its world and the wired ports."""

    def __init__(self, folder: Path, world: World, **start: int) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.world = folder, world
        self.blobs = BlobStore(folder / "blobs")
        self.context = Context(Policy(), PlayedDomain(world), self.blobs.read)
        self.agent = PlayedAgent()

        with Journal(Ledger.create(folder / "ledger.db")) as journal:
            journal.append(beginning(self.blobs.put, **start))

    def go(self, *, crash_at: int | None = None) -> RunState:
        """Run to the end, or die when the n-th outcome is about to be appended."""
        with Journal(Ledger.open(self.folder / "ledger.db")) as journal:
            executor = PlayedExecutor(self.world)
            effects = Effects(
                run=self.folder,
                blobs=self.blobs,
                executor=executor,
                agents={"recipe": self.agent},
                workspace=PlayedWorkspace(self.folder, self.agent),
                domain=PlayedDomain(self.world),
            )
            counted = 0

            async def perform(state: RunState, intent: Intent) -> Sequence[Fact]:
                nonlocal counted
                facts = await effects.perform(state, intent)
                counted += 1

                if counted == crash_at:
                    raise Crashed

                return facts

            async def main() -> None:
                clock = Clock(anyio.current_time)
                await drive(
                    journal,
                    self.context,
                    perform,
                    reconcile=lambda left: reconcile(left, self.folder, executor),
                    clock=clock,
                    stop=lambda _: False,
                )

            anyio.run(main)
            return journal.state

    def events(self) -> list[Fact]:
        """Return the whole log."""
        with Ledger.open(self.folder / "ledger.db") as ledger:
            return [from_record(r) for r in ledger.records()]

    def decisions(self) -> list[tuple[str, str]]:
        """Return (type, body without epoch) of all decisions, once each, in a fixed order."""
        told = set()

        for event in self.events():
            if event.type in DECISIONS:
                body = dump(event)
                body.pop("epoch", None)
                told.add((event.type, repr(sorted(body.items()))))

        return sorted(told)


def test_a_run_ends_with_a_package(tmp_path: Path) -> None:
    """Given two lanes that are accepted, then both stages pass and a package is built."""
    state = Played(tmp_path, World()).go()
    assert state.task.finished is not None
    assert state.task.finished.outcome == "package"
    assert [r.stage for r in state.stages.rounds] == ["explore", "exploit", "finalize"]
    assert {x.name for x in state.lanes if x.promoted} == {"plain", "fancy"}


def test_the_test_set_is_scored_once_after_the_last_verdict(tmp_path: Path) -> None:
    """Given test cases, then the test job comes after every review job."""
    played = Played(tmp_path, World(), test=2)
    played.go()
    kinds = [getattr(e, "kind", "") for e in played.events() if e.type == "job.requested"]
    assert kinds.count("test") == 1
    assert max(i for i, k in enumerate(kinds) if k == "review") < kinds.index("test")


def test_a_rejected_lane_is_repaired_and_never_promoted(tmp_path: Path) -> None:
    """Given a lane that is always rejected, then it gets its turns and a reason."""
    world = World(verdict=lambda a: "reject" if "fancy" in a else "accept")
    state = Played(tmp_path, world).go()
    fancy = state.lanes.get("fancy")
    assert fancy is not None
    assert fancy.refused is not None
    assert "no accepted attempt" in fancy.refused.reason
    assert any(w.spawned.role == "repair" for w in state.workers)


def test_rejected_attempts_change_no_coverage_and_no_promotion(tmp_path: Path) -> None:
    """Given one lane more that is always rejected, then the others' promotion is the same."""
    alone = Played(tmp_path / "a", World()).go()
    more = (*World().offers, offer("third", 100, 3))
    world = World(offers=more, verdict=lambda a: "reject" if "third" in a else "accept")
    beside = Played(tmp_path / "b", world).go()

    for name in ("plain", "fancy"):
        first, second = alone.lanes.get(name), beside.lanes.get(name)
        assert first is not None
        assert second is not None
        assert first.promoted == second.promoted


def test_a_run_without_lanes_is_refused(tmp_path: Path) -> None:
    """Given no executable lane, then the run ends and says so."""
    state = Played(tmp_path, World(offers=(offer("net", 1, 1, "paper-only"),))).go()
    assert state.task.finished is not None
    assert state.task.finished.outcome == "refused"


def test_a_failed_job_fails_its_attempt_only(tmp_path: Path) -> None:
    """Given train jobs of one lane that fail, then the other lane still makes a package."""
    world = World()
    world.fails = lambda spec: "boom" if spec.kind == "train" and len(world.ran) % 7 == 3 else ""
    state = Played(tmp_path, world).go()
    assert state.task.finished is not None


def test_a_refused_turn_leaves_no_blob_that_no_event_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given an attempt.toml that is refused, then `verify` finds nothing but what is named."""

    def refuse(_domain: PlayedDomain, _attempt_toml: bytes) -> Manifest:
        raise AttemptRefused("said")

    monkeypatch.setattr(PlayedDomain, "manifest", refuse)
    played = Played(tmp_path, World())
    played.go()

    assert {e.type for e in played.events()} >= {"session.failed", "run.finished"}
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        assert unnamed(played.blobs, Journal(ledger).past.named) == []


def test_a_lane_too_dear_for_the_stage_is_covered_with_the_reason(tmp_path: Path) -> None:
    """Given fewer units than an attempt takes, then nothing is tried and the run is refused."""
    state = Played(tmp_path, World(), units=10).go()
    assert state.task.finished is not None
    assert state.task.finished.outcome == "refused"
    assert all("units" in x.covered.reason for x in state.lanes if x.covered)


def test_redecide_finds_no_divergence(tmp_path: Path) -> None:
    """Given a finished run, then today's deciders decide the same."""
    played = Played(tmp_path, World())
    played.go()
    answer = redecide(played.events(), played.context)
    assert answer.ok, answer.divergence
    assert answer.decisions > 50


def test_redecide_names_the_first_decision_that_a_threshold_changes(tmp_path: Path) -> None:
    """Given another number of promoted lanes, then the promotion round is named."""
    played = Played(tmp_path, World())
    played.go()
    changed = Context(Policy(promote_most=1), played.context.domain, played.context.read)
    answer = redecide(played.events(), changed)
    assert answer.divergence is not None
    assert answer.divergence.decider == "rounds"
    assert "lane.promoted" in answer.divergence.says
    first = next(i for i, e in enumerate(played.events(), 1) if e.type == "lane.promoted")
    assert answer.divergence.seq >= first


@pytest.mark.parametrize("at", range(1, 40, 3))
def test_a_crash_before_any_outcome_changes_no_decision(tmp_path: Path, at: int) -> None:
    """Given a crash between an effect and its outcome, then resume decides the same."""
    whole = Played(tmp_path / "whole", World())
    whole.go()
    broken = Played(tmp_path / "broken", World())

    with pytest.raises(BaseException):  # noqa: B017 - a group around Crashed
        broken.go(crash_at=at)
        raise Crashed

    broken.go()
    assert broken.decisions() == whole.decisions()
    assert redecide(broken.events(), broken.context).ok


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(1, 6), max_size=6))
def test_many_crashes_change_no_decision(
    tmp_path_factory: pytest.TempPathFactory, at: list[int]
) -> None:
    """Given any series of crashes, then the run ends with the same decisions."""
    whole = Played(tmp_path_factory.mktemp("whole"), World())
    whole.go()
    broken = Played(tmp_path_factory.mktemp("broken"), World())

    for n in at:
        try:
            broken.go(crash_at=n)
        except BaseException:  # noqa: S112 - a group around Crashed
            continue

    broken.go()
    assert broken.decisions() == whole.decisions()


def test_probes_are_measured_before_lanes_are_proposed(tmp_path: Path) -> None:
    """Given a template with a step to time, then its price is recorded and planning follows."""
    played = Played(tmp_path, World(probes=("net",)))
    state = played.go()
    types = [e.type for e in played.events()]
    assert state.task.probes["net"].ms_per_step == 3
    assert types.index("probe.measured") < types.index("lane.proposed")
    assert redecide(played.events(), played.context).ok


def test_a_failed_probe_does_not_hold_the_run(tmp_path: Path) -> None:
    """Given a probe that breaks, then lanes are planned without its price."""
    world = World(probes=("net",), fails=lambda spec: "boom" if spec.kind == "probe" else "")
    state = Played(tmp_path, world).go()
    assert state.task.probes == {}
    assert state.task.finished is not None
    assert state.task.finished.outcome == "package"


@pytest.mark.parametrize(("kind", "verdict"), [("decode", "reject"), ("review", "flag")])
def test_a_verdict_without_a_review_rests_on_a_finding_too(
    tmp_path: Path, kind: str, verdict: str
) -> None:
    """Given a job of the review that fails, then its failure is the finding behind the verdict."""
    world = World()
    world.fails = lambda spec: "out of memory" if spec.kind == kind else ""
    played = Played(tmp_path, world)
    state = played.go()
    tried = [a for a in state.attempts if a.verdict is not None]
    assert tried
    assert {a.standing for a in tried} == {verdict}

    for attempt in tried:
        assert attempt.verdict is not None
        assert "out of memory" in attempt.findings[0].says
        ruling = played.context.domain.verdict(attempt.findings)
        assert (ruling.verdict, ruling.codes) == (attempt.verdict.verdict, attempt.verdict.codes)

    assert redecide(played.events(), played.context).ok


def test_one_attempt_is_one_attempt(tmp_path: Path) -> None:
    """Given a budget of one attempt, then nobody is handed a second one before the finalizer."""
    state = Played(tmp_path, World(), attempts=1).go()
    tried = [a for a in state.attempts if a.submitted.role != "finalizer"]
    assert len(tried) == 1
    assert all((e.attempts or 0) >= 0 for e in state.stages.entered.values())


def test_attempts_without_a_score_can_be_put_in_order(tmp_path: Path) -> None:
    """Given accepted attempts that nothing measured, then they are ranked all the same."""
    state = Played(tmp_path, World()).go()
    bare = [replace(a, measured=None) for a in state.attempts]
    assert {a.id for a in order(state, bare)} == {a.id for a in state.attempts}


def test_a_defect_is_recorded_and_raised_and_the_run_goes_on_without_it(tmp_path: Path) -> None:
    """Given outcomes that cannot be read, then one attempt is flagged and resume ends the run."""
    played = Played(tmp_path, World())

    def broken(attempt: str) -> str:
        if "plain" in attempt:
            raise ValueError("not a score")

        return "0.8"

    played.world.score = broken

    for _ in range(8):
        try:
            state = played.go()
        except BaseExceptionGroup as group:
            assert group.subgroup(Unexpected) is not None
        else:
            break

    assert state.task.finished is not None
    assert state.task.finished.outcome == "package"
    assert any("unexpected: ValueError" in e.reason for e in played.events()
               if isinstance(e, JobFailed))  # fmt: skip
    assert redecide(played.events(), played.context).ok


class Said(Exception):
    """An error that a person can do something about."""

    exit_code = 1


@pytest.mark.parametrize("trouble", [OSError("no space"), Said("the data changed")])
def test_what_a_person_can_mend_leaves_the_intent_open(tmp_path: Path, trouble: Exception) -> None:
    """Given a full disk or changed data, then nothing is held against an attempt."""
    played, whole = Played(tmp_path / "a", World()), Played(tmp_path / "b", World())
    whole.go()

    def broken(attempt: str) -> str:
        raise trouble

    healthy, played.world.score = played.world.score, broken

    with pytest.raises(BaseExceptionGroup):
        played.go()

    played.world.score = healthy
    played.go()
    assert not [e for e in played.events() if isinstance(e, JobFailed)]
    assert played.decisions() == whole.decisions()


@pytest.mark.parametrize("seed", range(3))
def test_jobs_that_finish_in_another_order_change_no_decision(tmp_path: Path, seed: int) -> None:
    """Given an executor that finishes jobs in a drawn order, then the loop decides the same."""
    plain, drawn = Played(tmp_path / "plain", World()), Played(tmp_path / "drawn", World())
    drawn.world.waits = lambda spec: Random(f"{seed}/{spec.key}").randrange(1, 40)
    plain.go()
    drawn.go()
    assert [e[0] for e in drawn.world.ran] != [e[0] for e in plain.world.ran]
    assert drawn.decisions() == plain.decisions()
