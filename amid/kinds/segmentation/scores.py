"""From values per case to scores with intervals over groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from amid.documents import Case, CaseScore, CaseScores
from amid.kinds.segmentation.labels import foreground, without_ignored
from amid.kinds.segmentation.metrics import Values, mean_of, score_case
from amid.kinds.segmentation.metrics.overlap import Labels
from amid.kinds.segmentation.metrics.registry import metric
from amid.review.checks.evidence import Part as Side
from amid.review.checks.evidence import Recomputed
from amid.review.intervals import beats, grouped, interval, paired
from amid.review.measure.inputs import Rules
from ledger.events.base import real
from ledger.events.data import Score

DIGITS = 6
"""Interval ends are rounded so that sums in another order give the same text."""


@dataclass(slots=True)
class Table:
    """Values of a set of cases, and what stands in the way of an honest mean."""

    of: str
    part: Side
    rules: Rules
    group_of: Mapping[str, str]
    metrics: tuple[str, ...] = ()
    """Primary first; all of the contract's when not given."""
    expected: int = 0
    """Cases that should have a value: those with a label."""
    unusable: int = 0
    """Of these, cases whose prediction is missing, broken or elsewhere."""
    fold_of: dict[str, str] = field(default_factory=dict)
    values: dict[str, Values] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    """Labels that some reference of the set holds."""

    def names(self) -> list[str]:
        """Return every name in the order of report: metrics, then each metric's labels."""
        labels = foreground(self.rules.labels)
        metrics = self.metrics or self.rules.metrics
        return [*metrics, *(f"{metric}:{label}" for metric in metrics for label in labels)]

    def add(self, case: Case, fold: str, reference: Labels, found: Sequence[Labels | None]) -> None:
        """Measure a case by one prediction, or by one of each fold, whose values are averaged."""
        labels = foreground(self.rules.labels)
        self.held |= {name for name, number in labels.items() if (reference == number).any()}
        usable = [
            values_of(self.rules, case, reference, array, self.metrics)
            for array in found
            if array is not None
        ]
        self.put(case.case, fold, usable, whole=len(usable) == len(found))

    def put(self, case: str, fold: str, usable: Sequence[Values], *, whole: bool) -> None:
        """Add a case with its values; `whole` says whether every expected prediction has some."""
        self.expected += 1
        self.fold_of[case] = fold
        if not usable or not whole:
            self.unusable += 1
            self.values[case] = dict.fromkeys(self.names())
            return

        self.values[case] = {
            name: mean_of([values[name] for values in usable]) for name in self.names()
        }

    def column(self, name: str) -> dict[str, float | None]:
        """Return case to value of one metric.

        A label that no reference of the set holds counts only where it was predicted: else every
        model would be perfect at it, and the mean too good.
        """
        return {case: self._value(values, name) for case, values in sorted(self.values.items())}

    def _value(self, values: Values, name: str) -> float | None:
        free, perfect = self._free(), metric(name.partition(":")[0]).perfect
        if ":" in name:
            only = name.partition(":")[2] in free and values[name] == perfect
            return None if only else values[name]

        if not free or values[name] is None:
            return values[name]

        labels = foreground(self.rules.labels)
        return mean_of([self._value(values, f"{name}:{label}") for label in labels])

    def _free(self) -> list[str]:
        """Return the labels that no reference holds; of the inner set workers score all."""
        if self.part == "inner" or not self.held:
            return []

        return [name for name in foreground(self.rules.labels) if name not in self.held]

    def score(self, name: str) -> Score:
        """Summarise one metric; it has no value while any expected prediction is unusable."""
        defined = [
            (self.group_of[case], value)
            for case, value in self.column(name).items()
            if value is not None
        ]
        groups = len({group for group, _ in defined})
        free = self._free()
        why = self._undefined(len(defined))
        if name.partition(":")[2] in free:
            why = "no case of this set holds the label"

        if why:
            return Score(
                metric=name, value=None, low=None, high=None, cases=len(defined), groups=groups,
                status=f"undefined: {why}",
            )  # fmt: skip

        found = interval(grouped(defined), within=metric(name.partition(":")[0]).within)
        left = self.expected - len(defined)
        status = f"partial: {left} of {self.expected} cases have no value" if left else "ok"
        if free and ":" not in name:
            listed = ", ".join(free)
            status = f"{status}; counted only where predicted, as no case holds it: {listed}"

        return Score(
            metric=name,
            value=real(found.value),
            low=None if found.low is None else real(round(found.low, DIGITS)),
            high=None if found.high is None else real(round(found.high, DIGITS)),
            cases=len(defined),
            groups=groups,
            status=f"{status}; {found.remark}" if found.remark else status,
        )

    def recomputed(self, score: Score) -> Recomputed:
        """Return a score as the checks read it."""
        value = None if score.value is None else float(score.value)
        return Recomputed(self.part, score.metric, value, score.status, score.cases, self.expected)

    def standard_error(self, name: str) -> str | None:
        """Return the standard error over groups; None where there is none."""
        defined = [
            (self.group_of[case], value)
            for case, value in self.column(name).items()
            if value is not None
        ]
        if self._undefined(len(defined)):
            return None

        error = interval(grouped(defined)).standard_error
        return None if error is None else real(round(error, DIGITS + 3))

    def beats(self, other: CaseScores, *, looks: int) -> bool:
        """Say whether these are better than another's, paired by case, over groups."""
        primary = self.rules.primary
        theirs = {c.case: _number(c.values.get(primary)) for c in other.cases}
        difference = paired(self.column(primary), theirs, self.group_of)
        direction = metric(primary).direction
        return not self.unusable and beats(difference, direction, looks=looks)

    def document(self) -> CaseScores:
        """Return the per-case scores."""
        columns = {name: self.column(name) for name in self.names()}
        return CaseScores(
            of=self.of,
            part=self.part,
            cases=tuple(
                CaseScore(
                    case=case,
                    group=self.group_of[case],
                    fold=self.fold_of[case],
                    values={
                        name: None if (value := column[case]) is None else real(value)
                        for name, column in columns.items()
                    },
                )
                for case in sorted(self.values)
            ),
        )

    def _undefined(self, defined: int) -> str:
        if not self.expected:
            return "no case has a label"

        if self.unusable:
            return f"{self.unusable} of {self.expected} predictions are missing or unusable"

        return "" if defined else "no case has a value under the contract's convention"


def values_of(
    rules: Rules,
    case: Case,
    reference: Labels,
    prediction: Labels,
    metrics: tuple[str, ...] = (),
) -> Values:
    """Measure one prediction by the contract's metrics, where the reference says something."""
    reference, prediction = without_ignored(reference, prediction)
    return score_case(
        reference,
        prediction,
        spacing=case.images[0].geometry.spacing[::-1],
        foreground=foreground(rules.labels),
        metrics=metrics or rules.metrics,
        empty=rules.empty,
    )


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)
