"""The leading attempt's score by the columns that the contract names: a row per site."""

from dataclasses import dataclass

from amid.documents import CaseScores, Inventory
from amid.report.subject import Subject
from amid.report.words import interval
from amid.review.kind import ReviewPart, review_part
from ledger.events.data import TestScored


@dataclass(frozen=True, slots=True)
class Cell:
    """The score of one value of the column in one part of the data."""

    score: str
    cases: str
    """Cases and groups."""


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """All values of one column."""

    column: str
    of: str
    """The attempt."""
    parts: tuple[str, ...]
    """`validation`, and `test` once that is scored."""
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    """A value and its cell for each part."""


def strata(subject: Subject) -> tuple[ColumnTable, ...]:
    """Return a table per column of `report_by`; none while no attempt leads."""
    winner, contract, inventory = subject.winner(), subject.contract, subject.inventory
    if winner is None or contract is None or inventory is None:
        return ()

    tests = [f.per_case for _, f in subject.history.all(TestScored) if f.attempt == winner.id]
    found = [subject.case_scores(winner), *(subject.scores_in(test) for test in tests[-1:])]
    parts = tuple(scores for scores in found if scores is not None)
    asked = review_part(contract.task.kind)
    return tuple(
        _table(subject, asked, inventory, winner.id, column, parts)
        for column in contract.validation.report_by
    )


def _table(
    subject: Subject,
    asked: ReviewPart,
    inventory: Inventory,
    attempt: str,
    column: str,
    parts: tuple[CaseScores, ...],
) -> ColumnTable:
    cells: dict[str, dict[str, Cell]] = {}
    for scores in parts:
        for row in asked.by_columns(scores, inventory, (column,), subject.metric):
            counts = f"{row.score.cases} / {row.score.groups}"
            cells.setdefault(row.value, {})[scores.part] = Cell(interval(row.score), counts)

    none = Cell("—", "0 / 0")
    names = tuple(scores.part for scores in parts)
    rows = tuple(
        (subject.shown(value), tuple(found.get(name, none) for name in names))
        for value, found in sorted(cells.items())
    )
    return ColumnTable(column, attempt, names, rows)


__all__ = ["Cell", "ColumnTable", "strata"]
