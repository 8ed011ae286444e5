"""Scores of sets of cases by their probabilities, with intervals over groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from amid.documents import Case, CaseScore, CaseScores
from amid.kinds.classification import contract
from amid.kinds.classification.metrics import macro, measured
from amid.review.checks.evidence import Part as Side
from amid.review.checks.evidence import Recomputed
from amid.review.intervals import Interval
from amid.review.measure.inputs import Rules
from amid.review.setwise import Statistic, better, interval_of
from ledger.events.base import real
from ledger.events.data import Score

Floats = NDArray[np.float64]

DIGITS = 6
"""Interval ends are rounded so that sums in another order give the same text."""
PREFIX = "p:"
"""Of a class's name in what is kept case by case: what was answered, never what is true."""


@dataclass(slots=True)
class Table:
    """Answers to a set of cases with their classes, and what stands in the way of a number."""

    of: str
    part: Side
    rules: Rules
    group_of: Mapping[str, str]
    expected: int = 0
    unusable: int = 0
    fold_of: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Floats] = field(default_factory=dict)
    truths: dict[str, Floats] = field(default_factory=dict)

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names in the order of their numbers."""
        return tuple(sorted(self.rules.labels, key=lambda name: self.rules.labels[name]))

    def names(self) -> list[str]:
        """Return every name in the order of report: metrics, then each metric's classes."""
        metrics = self.rules.metrics
        by_class = [f"{metric}:{name}" for metric in metrics for name in self.classes]
        return [*metrics, *by_class] if len(self.classes) > 2 or self.rules.several else [*metrics]

    def add(self, case: Case, fold: str, reference: Floats, found: Sequence[Floats | None]) -> None:
        """Add a case with its answer, or with one of each fold's model, which are averaged."""
        self.expected += 1
        self.fold_of[case.case] = fold
        self.truths[case.case] = reference
        usable = [answer for answer in found if answer is not None]
        fits = [a for a in usable if len(a) == len(reference)]
        if not fits or len(fits) < len(found):
            self.unusable += 1
            return

        self.answers[case.case] = np.mean(fits, axis=0)

    def score(self, name: str) -> Score:
        """Summarise one metric; it has no value while any expected answer is unusable."""
        groups = sorted({self.group_of[case] for case in self.answers})
        found, why = self._interval(name, groups)
        if found is None:
            return Score(
                metric=name, value=None, low=None, high=None, cases=len(self.answers),
                groups=len(groups), status=f"undefined: {why}",
            )  # fmt: skip

        return Score(
            metric=name,
            value=real(found.value),
            low=None if found.low is None else real(round(found.low, DIGITS)),
            high=None if found.high is None else real(round(found.high, DIGITS)),
            cases=found.cases,
            groups=found.groups,
            status=f"ok; {found.remark}" if found.remark else "ok",
        )

    def recomputed(self, score: Score) -> Recomputed:
        """Return a score as the checks read it."""
        value = None if score.value is None else float(score.value)
        return Recomputed(self.part, score.metric, value, score.status, score.cases, self.expected)

    def standard_error(self, name: str) -> str | None:
        """Return the standard error over groups; None where there is none."""
        groups = sorted({self.group_of[case] for case in self.answers})
        found, _ = self._interval(name, groups)
        error = None if found is None else found.standard_error
        return None if error is None else real(round(error, DIGITS + 3))

    def beats(self, other: CaseScores, *, looks: int) -> bool:
        """Say whether these answers are better than another's to the same cases."""
        theirs = {row.case: shares_of(row, self.classes) for row in other.cases}
        if self.unusable or not self.answers or not self.answers.keys() <= theirs.keys():
            return False

        groups = sorted({self.group_of[case] for case in self.answers})
        direction = contract.direction(self.rules.primary)
        ours, others = self._statistic(groups, self.answers), self._statistic(groups, theirs)
        return better(
            lambda weights: ours(weights) - others(weights),
            direction or "maximize",
            groups=len(groups),
            looks=looks,
        )

    def document(self) -> CaseScores:
        """Return what was answered, case by case; whether it is right would tell the class."""
        return CaseScores(
            of=self.of,
            part=self.part,
            cases=tuple(
                CaseScore(
                    case=case,
                    group=self.group_of[case],
                    fold=fold,
                    values=self._told(case),
                )
                for case, fold in sorted(self.fold_of.items())
            ),
        )

    def _told(self, case: str) -> dict[str, str | None]:
        answer = self.answers.get(case)
        return {
            f"{PREFIX}{name}": None if answer is None else real(round(float(answer[place]), 9))
            for place, name in enumerate(self.classes)
        }

    def _interval(self, name: str, groups: Sequence[str]) -> tuple[Interval | None, str]:
        if not self.expected:
            return None, "no case has a class"

        if self.unusable:
            return None, f"{self.unusable} of {self.expected} answers are missing or unusable"

        statistic = self._statistic(groups, self.answers, name)
        upper = None if name.partition(":")[0] == "log-loss" else 1.0
        try:
            found = interval_of(
                statistic, groups=len(groups), cases=len(self.answers), within=(0.0, upper)
            )
        except ValueError:
            return None, "a class has all cases or none of them"

        return found, ""

    def _statistic(
        self, groups: Sequence[str], answers: Mapping[str, Floats], name: str = ""
    ) -> Statistic:
        """Return a metric, the primary one if none is named, as a function of groups' weights."""
        cases = sorted(self.answers)
        shares = np.stack([answers[case] for case in cases])
        truth = np.stack([self.truths[case] for case in cases])
        place = {group: number for number, group in enumerate(groups)}
        owner = np.asarray([place[self.group_of[case]] for case in cases])
        metric, _, of = (name or self.rules.primary).partition(":")

        def value(weights: Floats) -> Floats:
            by_class = measured(
                metric, shares, truth, weights[:, owner], several=self.rules.several
            )
            return by_class[:, self.classes.index(of)] if of else macro(by_class)

        return value


def shares_of(row: CaseScore, classes: Sequence[str]) -> Floats:
    """Return the probabilities that were kept of a case; NaN where there are none."""
    told = [row.values.get(f"{PREFIX}{name}") for name in classes]
    return np.asarray([np.nan if value is None else float(value) for value in told])


__all__ = ["PREFIX", "Table", "shares_of"]
