"""Chooses the weights of a finalizer's members: pure, from inner scores alone."""

from collections.abc import Mapping, Sequence

from runtime.ports import Past

_BEHIND = 0.05
"""A member this far behind the best in its inner score counts nothing."""


def weights(members: Sequence[Past], *, bounded: bool) -> tuple[dict[str, float], str]:
    """Return a weight per member and the rule in words.

    The best member counts 1; the weight falls in a straight line to 0 at 0.05 behind it. Members
    count the same where one of them has no inner score, or where the metric is not a share between
    0 and 1 that is to be large (`bounded`).
    """
    inner = [member.inner for member in members]

    if not bounded or any(score is None for score in inner):
        return {member.attempt: 1.0 for member in members}, "equal: no inner scores to compare"

    scores = [float(score or 0) for score in inner]
    best = max(scores)
    shares = [round(max(0.0, 1 - (best - score) / _BEHIND), 2) for score in scores]
    kept = {
        member.attempt: share for member, share in zip(members, shares, strict=True) if share > 0
    }

    return kept, f"1 at the best inner score, falling to 0 at {_BEHIND} behind it"


def describe(template: str, chosen: Mapping[str, float]) -> str:
    """Return a finalizer's one-line description."""
    return f"{template}: " + " ".join(f"{name}={weight:g}" for name, weight in chosen.items())


__all__ = ["describe", "weights"]
