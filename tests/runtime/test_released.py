"""What a worker is told: codes of closed lists and rounded scores, never a word of a job's."""

from random import Random
from typing import get_args, get_type_hints

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.events.codes import JOB_ENDS, REASON_CODES, Released, reason_code
from ledger.events.job import JobKind
from ledger.events.work import SessionRequested
from runtime.landing import read_brief
from runtime.ports import Brief, Past
from tests.runtime.pure import Pure
from tests.runtime.world import World

OURS = {
    Brief: {"worker", "role", "lane", "template"},
    Past: {"attempt", "score", "inner", "description"},
}
"""Free text of a brief: names and numbers of ours, and the line the agent itself wrote."""


def prompts(says: str, reason: str, payload: str, failing: JobKind | None, seed: int) -> list[str]:
    """Play a run whose jobs and findings say this; return every prompt in order of asking."""
    world = World(
        verdict=lambda attempt: "reject" if "fancy" in attempt else "accept",
        fails=lambda spec: reason if spec.kind == failing else "",
        says=says,
        payload=payload,
    )
    log = Pure(world).play(Random(seed)).log
    return [fact.prompt for fact in log if isinstance(fact, SessionRequested)]


text = st.text(min_size=1, max_size=400)


@settings(max_examples=40, deadline=None)
@given(text, text, text, st.sampled_from(["train", "predict", "decode", None]), st.integers(0, 99))
def test_no_word_of_a_job_reaches_a_worker(
    says: str, reason: str, payload: str, failing: JobKind | None, seed: int
) -> None:
    """Given any words in reasons, findings and digests, then every prompt is the same without."""
    assert prompts(says, reason, payload, failing, seed) == prompts("-", "-", "-", failing, seed)


@settings(max_examples=200)
@given(st.text())
def test_any_word_becomes_a_code_of_the_list(word: str) -> None:
    assert reason_code(word) in REASON_CODES


def test_a_failed_attempt_tells_its_code() -> None:
    """Given a training that fails, then the next turn hears EXIT and the domain's sentence."""
    told = [read_brief(prompt) for prompt in prompts("-", "a name under out/", "-", "train", 1)]
    past = [one for brief in told for one in brief.past]

    assert past
    assert {one.codes for one in past} == {("EXIT",)}
    assert {one.advice for one in past} == {("about EXIT",)}


def test_an_unknown_reason_is_told_as_other() -> None:
    """Given a finding with a word for a code, then the word stays with the reviewer."""
    world = World(verdict=lambda attempt: "reject", code="patient-7 has a lesion of 12 mm")
    log = Pure(world).play(Random(1)).log
    told = [read_brief(fact.prompt) for fact in log if isinstance(fact, SessionRequested)]

    assert {one.codes for brief in told for one in brief.past} == {("OTHER",)}


def test_what_is_told_is_typed_as_a_code() -> None:
    """Given the types of brief and past, then no other text can be put there."""
    for cls, names in OURS.items():
        hints = get_type_hints(cls)
        free = {n for n, kind in hints.items() if kind in (str, str | None, tuple[str, ...])}
        assert free - {"advice"} == names

    assert get_type_hints(Past)["codes"] == tuple[Released, ...]
    assert set().union(*map(get_args, get_args(Released))) == REASON_CODES | JOB_ENDS
