"""Deciding costs no more in a long run; what projections keep is what a search finds."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.attempts import Attempt
from projections.jobs import JobStatus
from projections.run import RunState
from projections.workers import SessionStatus
from runtime.decide.ranking import order, worth
from runtime.intents import open_intents
from tests.runtime.pure import Pure
from tests.runtime.world import World, offer

ROOT = Path(__file__).parents[2]
PLACES = (str(ROOT / "projections"), str(ROOT / "runtime" / "decide"))


def wide(lanes: int) -> World:
    """Return a world with many lanes."""
    return World(offers=tuple(offer(f"l{n:05}", 900, 1 + n % 3) for n in range(lanes)))


class Counter:
    """Counts the steps of the interpreter in deciders and projections."""

    def __init__(self) -> None:
        self.steps = 0

    def __call__(self, frame: FrameType, event: str, arg: object) -> Any:  # noqa: ANN401
        del event, arg
        if not frame.f_code.co_filename.startswith(PLACES):
            return None

        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return self._step

    def _step(self, frame: FrameType, event: str, arg: object) -> Any:  # noqa: ANN401
        del frame, arg
        self.steps += event == "opcode"
        return self._step


def steps(lanes: int, *, skip: int, take: int) -> float:
    """Return the steps per outcome of some outcomes in the first stage of a run with many lanes."""
    played = Pure(wide(lanes), units=100 * lanes, looks=0)
    order = Random(0)
    counter = Counter()

    for n, _ in enumerate(played.outcomes(order)):
        if n == skip:
            sys.settrace(counter)
        elif n == skip + take:
            sys.settrace(None)
            return counter.steps / take

    raise AssertionError("the run ended before it was measured")


def test_deciding_per_outcome_is_flat() -> None:
    few, many = steps(30, skip=20, take=60), steps(300, skip=1200, take=60)
    assert many < 1.5 * few, (few, many)


PLAYS = settings(max_examples=25, deadline=None)


def states(seed: int, lanes: int) -> Iterator[RunState]:
    """Yield the state of a run after each of its outcomes, losses and failures among them."""
    dice = Random(seed)
    world = World(
        offers=tuple(offer(f"l{n}", 900 - n, n % 3) for n in range(lanes)),
        score=lambda attempt: f"0.{Random(attempt).randrange(70, 80)}",
        verdict=lambda attempt: Random(attempt).choice(("accept", "accept", "flag", "reject")),
        fails=lambda spec: "broken" if Random(spec.key).random() < 0.05 else "",
    )
    played = Pure(world, units=dice.choice((60, 300, 10_000)), attempts=dice.choice((None, 7)))
    yield from played.outcomes(dice, lose=lambda: dice.random() < 0.1)


@PLAYS
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_what_is_kept_is_what_a_search_finds(seed: int, lanes: int) -> None:
    for state in states(seed, lanes):
        for status in get_args(JobStatus):
            assert list(state.jobs.with_status(status)) == [
                job for job in state.jobs if job.status == status
            ]

        for session in get_args(SessionStatus):
            assert list(state.workers.with_session(session)) == [
                worker for worker in state.workers if worker.session_status == session
            ]

        check_attempts(state)
        check_rounds(state)
        check_lanes(state)


def check_attempts(state: RunState) -> None:
    assert [a for a in state.attempts if a.standing == "accept"] == [*state.attempts.accepted()]
    assert [*state.attempts.under_review()] == [
        a
        for a in state.attempts
        if a.executed is not None and a.executed.outcome == "complete" and a.verdict is None
    ]
    for worker in state.workers:
        assert list(state.attempts.of_worker(worker.id)) == sorted(
            (a for a in state.attempts if a.submitted.worker == worker.id),
            key=lambda a: a.submitted.turn,
        )
        for commit in worker.commits:
            assert state.workers.commit_of(commit.commit) == commit

    for lane in state.lanes:
        assert list(state.attempts.of_lane(lane.name)) == sorted(
            (a for a in state.attempts if a.submitted.lane == lane.name), key=lambda a: a.id
        )


def check_rounds(state: RunState) -> None:
    looks = 0
    for opened in state.stages.rounds:
        workers = [state.workers.get(slot.worker) for slot in opened.slots]
        closed = all(worker is not None and worker.retired for worker in workers)
        assert state.round_closed(opened.round) == closed == (opened not in state.open_rounds())
        for slot in opened.slots:
            assert state.stages.slot_of(slot.worker) == (opened, slot)
            assert state.stages.look_of(slot.worker, 1) == looks + 1
            looks += slot.turns

    for stage, entered in state.stages.entered.items():
        used = sum(s.turns for r in state.stages.rounds if r.stage == stage for s in r.slots)
        left = None if entered.attempts is None else entered.attempts - used
        assert state.stages.attempts_left(entered.stage) == left


def check_lanes(state: RunState) -> None:
    named = {slot.lane for opened in state.stages.rounds for slot in opened.slots}
    able = [x for x in state.lanes if x.rank is not None and x.downranked is None]
    waiting = [x for x in able if x.name not in named and x.covered is None]
    assert list(state.lanes.executable()) == able
    assert list(state.lanes.waiting(1000)) == waiting
    assert list(state.lanes.waiting(2)) == waiting[:2]
    assert list(state.lanes.due()) == [x for x in able if x.name in named and x.covered is None]
    for units in (-1, 5, 10, 100):
        assert list(state.lanes.dearer(units)) == [x for x in waiting if x.price > units]


def searched(state: RunState, attempts: list[Attempt], error: Callable[[Attempt], float]) -> Any:  # noqa: ANN401
    """Order by looking at every pair, as the rule is told."""
    left = sorted(attempts, key=lambda a: (-worth(state, a), a.id))
    ranked = []
    while left:
        best = left[0]
        near = [a for a in left if worth(state, a) >= worth(state, best) - error(best)]
        least = min(near, key=lambda a: (complexity(state, a), -worth(state, a), a.id))
        ranked.append(least)
        left.remove(least)

    return ranked


def complexity(state: RunState, attempt: Attempt) -> int:
    lane = state.lanes.get(attempt.submitted.lane)
    return 0 if lane is None else lane.proposed.complexity


@PLAYS
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_the_order_of_candidates_is_that_of_the_rule(seed: int, lanes: int) -> None:
    *_, state = states(seed, lanes)
    attempts = [a for a in state.attempts if a.measured is not None]

    def error(attempt: Attempt) -> float:
        measured = attempt.measured
        text = None if measured is None else measured.standard_error
        return 0.0 if text is None else float(text)

    assert order(state, attempts) == searched(state, attempts, error)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_open_is_what_has_no_outcome(seed: int) -> None:
    for state in states(seed, 3):
        names = [intent.name for intent in open_intents(state)]
        assert len(names) == len(set(names))
