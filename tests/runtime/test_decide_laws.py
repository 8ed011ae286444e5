"""Laws of the deciders, over worlds drawn at random."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.events.base import Fact
from ledger.events.job import JobLost
from ledger.events.run import RunResumed
from ledger.events.work import LaneCovered, LanePromoted, StageEnded
from projections.run import RunState
from replay.redecide import redecide
from runtime.decide import promotion, rounds
from runtime.policy import Policy
from runtime.ports import JobSpec
from tests.runtime.pure import Pure
from tests.runtime.world import World, offer

Verdict = Literal["accept", "flag", "reject"]
T = TypeVar("T")


@dataclass(frozen=True)
class Fate:
    """What happens in a world: every answer follows from a seed and from who asks."""

    seed: int
    lanes: int
    verdicts: tuple[Verdict, ...]
    failing: int
    """Percent of jobs and turns that fail."""
    policy: Policy
    test: int
    units: int
    attempts: int | None

    def of(self, purpose: str, choices: tuple[T, ...]) -> T:
        return Random(f"{self.seed}/{purpose}").choice(choices)

    def fails(self, purpose: str) -> bool:
        return Random(f"{self.seed}/{purpose}/fails").randrange(100) < self.failing

    def job_fails(self, spec: JobSpec) -> str:
        bad = spec.kind != "null" and self.fails(f"{spec.kind}/{spec.subject}/{spec.fold}")
        return "played" if bad else ""

    def pure(self) -> Pure:
        """Return a run of this fate that has not begun."""
        kinds = ("executable", "executable", "executable", "fallback", "paper-only")
        offers = tuple(
            offer(
                f"lane{i}",
                priority=self.of(f"priority {i}", (100, 500, 900)),
                complexity=self.of(f"complexity {i}", (1, 2, 3)),
                kind=self.of(f"kind {i}", kinds),
            )
            for i in range(self.lanes)
        )
        world = World(
            offers=offers,
            score=lambda a: self.of(f"score {a}", ("0.7", "0.7005", "0.71", "0.8")),
            verdict=lambda a: self.of(f"verdict {a}", self.verdicts),
            beats=lambda a: self.of(f"beats {a}", (True, True, False)),
            fails=self.job_fails,
        )
        return Pure(
            world,
            policy=self.policy,
            test=self.test,
            units=self.units,
            attempts=self.attempts,
            idle=lambda who: "played" if self.fails(who) else "",
        )


few = st.integers(1, 3)
fates = st.builds(
    Fate,
    seed=st.integers(0, 10_000),
    lanes=st.integers(0, 5),
    verdicts=st.sampled_from(
        [("accept",), ("accept", "flag"), ("accept", "reject"), ("accept", "flag", "reject")]
    ),
    failing=st.sampled_from([0, 0, 10, 50]),
    policy=st.builds(
        Policy,
        workers=few,
        explorer_turns=few,
        optimizer_turns=few,
        challenger_turns=few,
        repair_turns=few,
        finalizer_turns=few,
        promote_most=few,
        members_most=few,
        min_accepted=few,
    ),
    test=st.sampled_from([0, 3]),
    units=st.sampled_from([5, 40, 100, 1000]),
    attempts=st.none() | st.integers(1, 12),
)
orders = st.integers(0, 10_000)
laws = settings(max_examples=40, deadline=None)


@laws
@given(fates, orders)
def test_every_run_ends_and_no_decision_is_made_twice(fate: Fate, order: int) -> None:
    """Given any fate, then the deciders fall quiet after each outcome and the run ends."""
    run = fate.pure().play(Random(order))
    decided = run.decided()
    assert len(decided) == len(set(decided))
    assert run.state.task.finished is not None


@laws
@given(fates, orders, orders)
def test_the_order_of_arrival_changes_no_decision(fate: Fate, one: int, other: int) -> None:
    """Given the same outcomes in another order, then the same is decided."""
    first, second = fate.pure().play(Random(one)), fate.pure().play(Random(other))
    assert first.decided() == second.decided()


@laws
@given(fates, orders, st.integers(0, 95))
def test_a_run_ends_however_often_its_jobs_are_killed(fate: Fate, order: int, percent: int) -> None:
    """Given jobs that are killed again and again, then each is given up and the run still ends."""
    run = fate.pure()
    run.cause = "ended"
    dice = Random(order + 1)
    run.play(Random(order), lose=lambda: dice.randrange(100) < percent)
    assert run.state.task.finished is not None
    hands: dict[str, int] = {}
    for fact in run.log:
        match fact:
            case JobLost(key=key):
                hands[key] = hands.get(key, 0) + 1
            case RunResumed():
                hands.clear()

        assert max(hands.values(), default=0) <= Policy().losses_most


@laws
@given(fates, orders, st.integers(0, 60))
def test_losses_change_no_decision(fate: Fate, order: int, percent: int) -> None:
    """Given interruptions at any moment, then the same is decided, under later epochs."""
    whole, broken = fate.pure().play(Random(order)), fate.pure()
    dice = Random(order + 1)
    broken.play(Random(order), lose=lambda: dice.randrange(100) < percent)
    assert set(broken.decided()) == set(whole.decided())


@laws
@given(fates, orders, st.integers(0, 80))
def test_a_recorded_run_is_decided_again_the_same(fate: Fate, order: int, late: int) -> None:
    """Given any log, also one whose clock ran out, then it is decided again as recorded."""
    run = fate.pure().play(Random(order), late=late)
    answer = redecide(run.log, run.context)
    assert answer.ok, answer.divergence


@laws
@given(fates, orders)
def test_what_was_not_accepted_changes_neither_coverage_nor_promotion(
    fate: Fate, order: int
) -> None:
    """Given the log without all that was not accepted, then the same lanes go on."""
    run = fate.pure().play(Random(order))
    barred = {a.id for a in run.state.attempts if a.standing != "accept"}
    before = _until(run.log, lambda e: isinstance(e, StageEnded) and e.stage == "explore")
    kept = [e for e in before if not _about(e, barred) and not isinstance(e, LaneCovered)]
    state = RunState.of(kept)
    promoted = [e for e in promotion.decide(state, run.context) if isinstance(e, LanePromoted)]
    assert promoted == [e for e in run.log if isinstance(e, LanePromoted)]
    covered = rounds.covered(state, run.context)
    tried = {e.lane: e.accepted for e in covered if isinstance(e, LaneCovered)}
    recorded = {e.lane: e.accepted for e in before if isinstance(e, LaneCovered)}
    assert tried == {lane: n for lane, n in recorded.items() if lane in tried}


@laws
@given(fates, orders, st.randoms(use_true_random=False))
def test_any_selection_of_events_can_be_folded(fate: Fate, order: int, chance: Random) -> None:
    """Given a log with gaps, then folding it is total."""
    log = fate.pure().play(Random(order)).log
    kept = [event for event in log if chance.random() < 0.7]
    assert RunState.of(kept).seq == len(kept)


def _until(log: list[Fact], end: Callable[[Fact], bool]) -> list[Fact]:
    last = next((i for i, event in enumerate(log) if end(event)), len(log))
    return log[:last]


def _about(event: Fact, attempts: set[str]) -> bool:
    return bool({getattr(event, name, None) for name in ("attempt", "subject")} & attempts)
