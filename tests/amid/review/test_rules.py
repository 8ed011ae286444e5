import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amid.review.checks import every_check, run_checks
from amid.review.rules import ADVICE, ENDS, advice, round_score, rule, rules_text
from ledger.events.codes import JOB_ENDS, REASON_CODES, reason_code
from tests.amid.review.checks.attempts import HONEST

Outcome = Literal["pass", "note", "flag", "reject", "unchecked"]
OUTCOMES: tuple[Outcome, ...] = ("pass", "note", "flag", "reject", "unchecked")


@dataclass(frozen=True)
class Said:
    outcome: Outcome
    code: str


FINDINGS = st.lists(
    st.builds(Said, st.sampled_from(OUTCOMES), st.sampled_from(sorted(ADVICE))), min_size=1
)


@settings(deadline=None)
@given(FINDINGS)
def test_the_gravest_outcome_decides(findings: list[Said]) -> None:
    outcomes = {f.outcome for f in findings}
    wanted = "reject" if "reject" in outcomes else "flag" if "flag" in outcomes else "accept"
    assert rule(findings).verdict == wanted


@settings(deadline=None)
@given(FINDINGS, st.randoms(use_true_random=False))
def test_order_and_repetition_change_nothing(findings: list[Said], random: object) -> None:
    shuffled = [*findings, *findings]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert rule(shuffled) == rule(findings)


@settings(deadline=None)
@given(FINDINGS)
def test_one_more_pass_note_or_unchecked_never_changes_the_verdict(findings: list[Said]) -> None:
    for outcome in ("pass", "note", "unchecked"):
        assert rule([*findings, Said(outcome, "OK")]).verdict == rule(findings).verdict


@settings(deadline=None)
@given(FINDINGS)
def test_each_code_has_its_advice_and_stands_once(findings: list[Said]) -> None:
    ruled = rule(findings)
    assert len(set(ruled.codes)) == len(ruled.codes) > 0
    said = advice([reason_code(code) for code in ruled.codes])
    assert said == tuple(ADVICE[reason_code(code)] for code in ruled.codes)


def test_rejecting_codes_come_first_then_by_name() -> None:
    findings = [Said("flag", "A"), Said("reject", "Z"), Said("reject", "B"), Said("note", "N")]
    assert rule(findings).codes == ("B", "Z", "A")


def test_an_honest_attempt_is_accepted() -> None:
    assert rule(run_checks("segmentation", HONEST))[:2] == ("accept", ("OK",))


def test_a_note_is_shown_but_bars_nothing() -> None:
    assert rule([Said("pass", "OK"), Said("note", "OK_NOTE")])[:2] == ("accept", ("OK_NOTE",))


def test_no_finding_at_all_is_no_acceptance() -> None:
    assert rule([]).verdict == "flag"


def test_advice_names_no_case_and_no_number() -> None:
    for code, said in (*ADVICE.items(), *ENDS.items()):
        assert not re.search(r"\b[cg]-\d|\d\.\d", said), code


def test_every_code_of_the_closed_lists_has_its_advice() -> None:
    assert set(ADVICE) == REASON_CODES
    assert set(ENDS) == JOB_ENDS
    assert not REASON_CODES & JOB_ENDS


def test_the_digest_follows_the_checks() -> None:
    assert all(name in rules_text() for name in every_check())


@pytest.mark.parametrize(
    ("value", "wanted"),
    [("0.87249", "0.87"), ("0.8725", "0.87"), ("0.8776", "0.88"), ("0", "0"), ("1", "1"),
     ("-0.001", "0"), ("12.3456", "12.345"), ("100", "100"), ("4e-7", "0")],
)  # fmt: skip
def test_scores_are_rounded_to_half_a_percent(value: str, wanted: str) -> None:
    assert round_score(value) == wanted


@settings(deadline=None)
@given(st.floats(0, 200).map(repr))
def test_rounding_is_close_and_stays(value: str) -> None:
    text = round_score(value)
    assert abs(Decimal(text) - Decimal(value)) <= Decimal("0.0025")
    assert round_score(text) == text
    assert re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", text)
