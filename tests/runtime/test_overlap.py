"""Code that knows labels another fold is judged by never runs beside that fold's code."""

from itertools import cycle, product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.events.job import JobKind, JobRequested
from runtime.decide.overlap import may_overlap
from runtime.policy import Policy
from tests.runtime.test_loop import Played
from tests.runtime.world import World

CODE: tuple[JobKind, ...] = ("train", "predict")
OURS: tuple[JobKind, ...] = ("null", "decode", "review", "test", "package", "probe", "profile")


def request(kind: JobKind, fold: str, subject: str = "a-0001") -> JobRequested:
    return JobRequested(
        subject=subject,
        kind=kind,
        fold=fold,
        command=("python", "x.py"),
        inputs=(),
        limits=Policy().limits(),
        sandbox="landlock",
        seed=0,
        threads=1,
        steps=0,
        epoch=1,
    )


@pytest.mark.parametrize(("one", "other"), list(product(CODE, CODE)))
def test_code_of_different_folds_never_runs_at_once(one: JobKind, other: JobKind) -> None:
    """Whatever the kinds and attempts: f1's code may know labels that f2 is judged by."""
    for subject in ("a-0001", "a-0002"):
        assert not may_overlap(request(one, "f1"), request(other, "f2", subject))
        assert not may_overlap(request(one, "f1"), request(other, "all", subject))
        assert may_overlap(request(one, "f1"), request(other, "f1", subject))


@pytest.mark.parametrize(("one", "ours"), list(product(CODE, OURS)))
def test_our_own_jobs_wait_for_nobody(one: JobKind, ours: JobKind) -> None:
    assert may_overlap(request(one, "f1"), request(ours, "folds"))
    assert may_overlap(request(ours, "folds"), request(one, "f1"))


@given(waits=st.lists(st.integers(1, 60), min_size=1, max_size=8))
@settings(max_examples=20, deadline=None)
def test_whatever_ends_first_no_two_folds_are_under_way(waits: list[int]) -> None:
    """Given a run over two folds and jobs of any length, then code of one fold runs at a time."""
    turns = cycle(waits)
    world = World(waits=lambda spec: next(turns))

    with TemporaryDirectory() as folder:
        state = Played(Path(folder), world).go()

    code = [(a, b) for a, b in world.together if {a.kind, b.kind} <= set(CODE)]
    assert state.task.finished is not None
    assert all(a.fold == b.fold for a, b in code)
