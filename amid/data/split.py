"""Deals groups to test, inner, and the folds' fit and validation. Pure, and repeatable from a seed.

A group is never cut. The inner set lies outside every fold. Each part follows from the seed, the
aliases and the contract alone: not from the order of the case table.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from amid.data.groups import Development, Guard, unfit
from amid.documents import Case, Fold, Inventory, Split
from amid.errors import SplitWrong, TooFewGroups
from amid.tasks.contract import Contract

Scheme = Literal["holdout", "kfold", "leave-one-out", "column", "file"]

HOLDOUT_GROUPS = 20
"""From this number of development groups on, one validation set is enough."""
FOLD_GROUPS = 5
"""From this number on, folds; below, each group is left out in turn."""
FEWEST_GROUPS = 3
INNER_GROUPS = 6
"""From this number on, folds can spare a group for the inner set."""
IMBALANCE = 0.1
"""By how much a stratum's share may differ between validation and fit before it is a finding."""


@dataclass(frozen=True, slots=True)
class Given:
    """A fold that somebody else decided, in aliases."""

    fit: tuple[str, ...]
    validation: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dealt:
    """The split, and what is notable about it."""

    split: Split
    scheme: Scheme
    findings: tuple[str, ...]


def deal(
    inventory: Inventory,
    contract: Contract,
    seed: int,
    *,
    given: Sequence[Given] = (),
    names: Mapping[str, str] | None = None,
) -> Dealt:
    """Divide the cases as the contract asks.

    Args:
        inventory: all cases with their groups and attributes.
        contract: its `[validation]` section decides.
        seed: of the run; the same seed gives the same split.
        given: the folds of `validation.file`, for scheme `file` only.
        names: alias to what a person would recognise, for error messages only.

    Raises:
        TooFewGroups: fewer than three groups to learn from.
        SplitWrong: the scheme does not fit these cases.
        GroupLeak: a given division cuts a group.
    """
    cases = [case for case in inventory.cases if case.split == "train"]
    test = [case for case in inventory.cases if case.split == "test"]
    group_of = {case.case: case.group for case in inventory.cases}
    groups = sorted({case.group for case in cases})
    guard = Guard(group_of, names or {})
    guard.apart([case.case for case in cases], [case.case for case in test], "training and test")
    _require_groups(len(groups))

    scheme = choose(contract, len(groups))
    work = Development(cases, contract.validation, seed)
    inner, folds, findings = _divide(work, scheme, given, guard)
    guard.folds(folds, inner)

    split = Split(
        scheme=scheme,
        folds=tuple(folds),
        inner=tuple(sorted(inner)),
        test=tuple(sorted(case.case for case in test)),
        group_of=group_of,
    )
    return Dealt(split, scheme, (*findings, *_notable(split, cases, contract)))


def choose(contract: Contract, groups: int) -> Scheme:
    """Return the scheme for a number of development groups.

    Raises:
        SplitWrong: a holdout was asked for, and one validation set would be too small.
    """
    asked = contract.validation.scheme
    if asked == "holdout" and groups < HOLDOUT_GROUPS:
        raise SplitWrong(
            f'scheme = "holdout" needs {HOLDOUT_GROUPS} development groups, {groups} are there',
            where="task.toml, [validation] scheme",
            why="the score of so few patients would be mostly chance",
            do='write scheme = "auto" or "kfold", so that every patient is predicted once',
        )

    if asked != "auto":
        return asked

    if groups >= HOLDOUT_GROUPS:
        return "holdout"

    return "kfold" if groups >= FOLD_GROUPS else "leave-one-out"


def _divide(
    work: Development, scheme: Scheme, given: Sequence[Given], guard: Guard
) -> tuple[list[str], list[Fold], list[str]]:
    """Return inner cases, folds and findings."""
    match scheme:
        case "holdout":
            return _holdout(work)
        case "kfold":
            return _kfold(work)
        case "leave-one-out":
            return _leave_one_out(work, guard)
        case "column":
            return _by_column(work, guard)
        case "file":
            return _as_given(work, given)


def _holdout(work: Development) -> tuple[list[str], list[Fold], list[str]]:
    inner, rest = _take_inner(work, keep=2)
    share = work.validation.fraction
    validation = work.portion(rest, share, "validation", most=len(rest) - 1)
    fit = [group for group in rest if group not in validation]
    return work.names(inner), [_fold(1, work.names(fit), work.names(validation))], []


def _kfold(work: Development) -> tuple[list[str], list[Fold], list[str]]:
    asked = work.validation.folds
    inner, rest = _take_inner(work, keep=min(asked, len(work.members)))
    count = min(asked, len(rest))
    findings = [f"{count} folds instead of {asked}: there are no more groups"]
    parts = work.parts(rest, count)
    folds = _leave_each_out(work, parts)
    return work.names(inner), folds, findings if count < asked else []


def _leave_one_out(work: Development, guard: Guard) -> tuple[list[str], list[Fold], list[str]]:
    inner, rest = _take_inner(work, keep=FOLD_GROUPS)
    column = work.validation.by
    if column is None:
        parts = [[group] for group in sorted(rest)]
        return work.names(inner), _leave_each_out(work, parts), []

    values = guard.one_value(work, column)
    by_value = {v: [g for g in rest if values[g] == v] for v in sorted(set(values.values()))}
    left = {value: groups for value, groups in by_value.items() if groups}
    if len(left) < 2:
        raise unfit(f"column {column} has one value only, so nothing can be left out")

    folds = _leave_each_out(work, list(left.values()))
    findings = [f"f{i} leaves out {column} = {value}" for i, value in enumerate(left, start=1)]
    return work.names(inner), folds, findings


def _by_column(work: Development, guard: Guard) -> tuple[list[str], list[Fold], list[str]]:
    """Return the folds that a column names; `fit`, `validation`, `inner` make one division."""
    column = work.validation.by or ""
    values = guard.one_value(work, column)
    by_value = {
        v: [g for g in sorted(work.members) if values[g] == v] for v in sorted(set(values.values()))
    }
    inner = work.names(by_value.pop("inner", []))
    findings = [] if inner else [_NO_INNER]

    if set(by_value) == {"fit", "validation"}:
        fold = _fold(1, work.names(by_value["fit"]), work.names(by_value["validation"]))
        return inner, [fold], findings

    if len(by_value) < 2:
        raise unfit(f"column {column} has one value only, so nothing can be left out")

    named = [f"f{i} validates on {column} = {v}" for i, v in enumerate(by_value, start=1)]
    return inner, _leave_each_out(work, list(by_value.values())), findings + named


def _as_given(work: Development, given: Sequence[Given]) -> tuple[list[str], list[Fold], list[str]]:
    folds = [
        _fold(number, sorted(part.fit), sorted(part.validation))
        for number, part in enumerate(given, start=1)
    ]
    used = {case for fold in folds for case in (*fold.fit, *fold.validation)}
    inner = sorted(case.case for case in work.cases if case.case not in used)
    return inner, folds, [] if inner else [_NO_INNER]


_NO_INNER = "the given division leaves no inner set: tuning and weights will read no scores"


def _take_inner(work: Development, *, keep: int) -> tuple[list[str], list[str]]:
    """Return inner groups and the rest, of which at least `keep` remain."""
    groups = sorted(work.members)
    if work.validation.inner == 0 or len(groups) < INNER_GROUPS:
        return [], groups

    most = len(groups) - keep
    inner = work.portion(groups, work.validation.inner, "inner", most=most)
    return inner, [group for group in groups if group not in inner]


def _leave_each_out(work: Development, parts: Sequence[Sequence[str]]) -> list[Fold]:
    everything = [group for part in parts for group in part]
    return [
        _fold(number, work.names([g for g in everything if g not in part]), work.names(part))
        for number, part in enumerate(parts, start=1)
    ]


def _fold(number: int, fit: Sequence[str], validation: Sequence[str]) -> Fold:
    return Fold(fold=f"f{number}", fit=tuple(fit), validation=tuple(validation))


def _require_groups(count: int) -> None:
    if count < FEWEST_GROUPS:
        raise TooFewGroups(
            f"{count} development groups are too few for any honest score",
            where="the case table, rows with split = train",
            why="a model must learn from some patients and be judged on others",
            do=f"add cases of other patients: {FEWEST_GROUPS} groups are the least",
        )


def _notable(split: Split, cases: Sequence[Case], contract: Contract) -> Iterator[str]:
    groups = len({case.group for case in cases})
    if groups < FOLD_GROUPS:
        yield f"few groups: {groups}; results can be flagged at best, {FOLD_GROUPS} are enough"

    if not split.test:
        yield "there is no hidden test set: validation is the only score"

    attributes = {case.case: case.attributes for case in cases}
    for column in contract.validation.stratify:
        for fold in split.folds:
            fit = Counter(attributes[case][column] for case in fold.fit)
            judged = Counter(attributes[case][column] for case in fold.validation)
            for value in sorted(fit | judged):
                share, expected = judged[value] / judged.total(), fit[value] / fit.total()
                if abs(share - expected) > IMBALANCE:
                    yield (
                        f"{column} = {value}: {share:.0%} of validation, {expected:.0%} of fit "
                        f"in {fold.fold}, because groups stay whole"
                    )


__all__ = ["Dealt", "Given", "Scheme", "choose", "deal"]
