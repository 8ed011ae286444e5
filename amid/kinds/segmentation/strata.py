"""Scores by a column of the case table, such as a row per site. Pure.

The unit of the intervals is the group, as everywhere. A site with few groups has a wide interval or
none, and says so in its status.
"""

from collections.abc import Iterator

from amid.documents import CaseScores, Inventory
from amid.kinds.segmentation.metrics.registry import metric as registered
from amid.review.intervals import grouped, interval
from amid.review.kind import Stratum
from ledger.events.base import real
from ledger.events.data import Score

DIGITS = 6
"""Interval ends are rounded as those of the whole are."""


def by_columns(
    scores: CaseScores, inventory: Inventory, columns: tuple[str, ...], metric: str
) -> Iterator[Stratum]:
    """Yield a row for each value of each column, values in order.

    Args:
        scores: of one attempt, case by case.
        inventory: says which case has which value; a case without one counts as `(empty)`.
        columns: those of `[validation] report_by`.
        metric: the one to summarise.
    """
    attributes = {case.case: case.attributes for case in inventory.cases}
    for column in columns:
        by_value: dict[str, list[tuple[str, float | None]]] = {}
        for case in scores.cases:
            value = attributes.get(case.case, {}).get(column) or "(empty)"
            found = case.values.get(metric)
            by_value.setdefault(value, []).append(
                (case.group, None if found is None else float(found))
            )

        for value, members in sorted(by_value.items()):
            yield Stratum(column, value, _score(metric, members))


def _score(metric: str, members: list[tuple[str, float | None]]) -> Score:
    defined = [(group, value) for group, value in members if value is not None]
    left = len(members) - len(defined)
    groups = len({group for group, _ in defined})
    if not defined:
        return Score(
            metric=metric, value=None, low=None, high=None, cases=0, groups=0,
            status=f"undefined: none of {len(members)} cases has a value",
        )  # fmt: skip

    found = interval(grouped(defined), within=registered(metric).within)
    status = f"partial: {left} of {len(members)} cases have no value" if left else "ok"
    return Score(
        metric=metric,
        value=real(found.value),
        low=None if found.low is None else real(round(found.low, DIGITS)),
        high=None if found.high is None else real(round(found.high, DIGITS)),
        cases=len(defined),
        groups=groups,
        status=f"{status}; {found.remark}" if found.remark else status,
    )


__all__ = ["by_columns"]
