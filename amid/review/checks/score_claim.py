"""A claimed score is the recomputed one."""

from decimal import Decimal, InvalidOperation

from amid.documents import Finding
from amid.review.checks.evidence import (
    Claim,
    Evidence,
    Recomputed,
    finding,
    number,
    passed,
    some,
)

ID = "score-claim/2"

LIBRARIES = Decimal("0.000001")
"""What two correct libraries may differ by."""


def check(evidence: Evidence) -> Finding:
    """Compare each claim with the reviewer's own validation and inner scores.

    A claim may be rounded: half a unit of its last decimal is allowed, and a millionth in any case.
    A whole number is meant exactly, or `1e3` would agree with everything.
    A worker sees inner labels only, so a claim that is the inner score is true as well. A number of
    another metric than the contract's cannot be checked, and is held until it is taken back.
    """
    if not evidence.claims:
        return passed(ID, "nothing was claimed; the reviewer's own scores count")

    wrong: list[tuple[Claim, str]] = []
    open_: list[str] = []
    for claim in evidence.claims:
        known = [s for s in evidence.scores if s.metric == claim.metric and s.part != "test"]
        if not known:
            open_.append(claim.metric)
        elif not any(_agrees(claim, score) for score in known):
            wrong.append((claim, ", ".join(f"{s.part} {_text(s)}" for s in known)))

    if wrong:
        says = f"{len(wrong)} of {len(evidence.claims)} claims differ from the recomputed score"
        grounds = [
            number(claim.metric, f"claimed {claim.value[:40]}, recomputed {found}")
            for claim, found in wrong
        ]
        return finding(ID, "reject", "SCORE_MISMATCH", says, grounds)

    if open_:
        says = f"{len(open_)} claims are of no metric of the contract: {some(open_)[:200]}"
        grounds = [number(name[:60], "cannot be recomputed") for name in open_]
        return finding(ID, "flag", "METRIC_SUBSTITUTED", says, grounds)

    return passed(ID, f"{len(evidence.claims)} claims agree with the recomputed scores")


def _agrees(claim: Claim, score: Recomputed) -> bool:
    if score.value is None:
        return False

    try:
        claimed = Decimal(claim.value)
    except InvalidOperation:
        return False

    if not claimed.is_finite() or len(claim.value) > 40:
        return False

    exponent = int(claimed.as_tuple().exponent)
    half = Decimal((0, (5,), exponent - 1)) if exponent < 0 else LIBRARIES
    return abs(claimed - Decimal(repr(score.value))) <= max(half, LIBRARIES)


def _text(score: Recomputed) -> str:
    return score.status if score.value is None else repr(score.value)
