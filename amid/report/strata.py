"""The leading attempt's score by the columns that the contract names: a row per site."""

from dataclasses import dataclass

from amid.report.subject import Subject
from amid.report.words import interval
from amid.strata import by_columns
from ledger.events.data import TestScored


@dataclass(frozen=True, slots=True)
class ValueRow:
    """One value of a column."""

    value: str
    part: str
    """`validation` or `test`."""
    cases: str
    """Cases and groups."""
    score: str
    note: str
    """What to know about the interval."""


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """All values of one column."""

    column: str
    of: str
    """The attempt."""
    rows: tuple[ValueRow, ...]


def strata(subject: Subject) -> tuple[ColumnTable, ...]:
    """Return a table per column of `report_by`; none while no attempt leads."""
    winner, inventory, contract = subject.winner(), subject.inventory, subject.contract
    if winner is None or inventory is None or contract is None:
        return ()

    tests = [f for _, f in subject.history.all(TestScored) if f.attempt == winner.id]
    found = [subject.case_scores(winner)]
    found += [subject.scores_in(test.per_case) for test in tests[-1:]]
    tables = []
    for column in contract.validation.report_by:
        rows = [
            ValueRow(
                value=subject.shown(row.value),
                part=scores.part,
                cases=f"{row.score.cases} / {row.score.groups}",
                score=interval(row.score),
                note="" if row.score.status == "ok" else row.score.status.removeprefix("ok; "),
            )
            for scores in found
            if scores is not None
            for row in by_columns(scores, inventory, (column,), subject.metric)
        ]
        tables.append(ColumnTable(column, winner.id, tuple(rows)))

    return tuple(tables)


__all__ = ["ColumnTable", "ValueRow", "strata"]
