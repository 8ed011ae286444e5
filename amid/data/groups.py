"""Development cases by group, the draws among them, and the guard that keeps groups whole. Pure."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence

from blake3 import blake3

from amid.documents import Case, Fold
from amid.errors import GroupLeak, SplitWrong
from amid.tasks.contract import Validation


class Development:
    """The development cases by group. Every draw is named, and follows from seed and name."""

    def __init__(self, cases: Sequence[Case], validation: Validation, seed: int) -> None:
        self.cases = cases
        self.validation = validation
        self._seed = seed
        self.members: dict[str, list[Case]] = {}
        for case in cases:
            self.members.setdefault(case.group, []).append(case)

    def shuffled(self, groups: Sequence[str], purpose: str) -> list[str]:
        """Return the groups in an order that seed and purpose decide."""
        digest = blake3(f"amid split {purpose} {self._seed}".encode()).digest()
        order = sorted(groups)
        random.Random(int.from_bytes(digest)).shuffle(order)  # noqa: S311 - repeatable on purpose
        return order

    def size(self, group: str) -> int:
        """Return how many cases a group has."""
        return len(self.members[group])

    def names(self, groups: Sequence[str]) -> list[str]:
        """Return the sorted cases of some groups."""
        return sorted(case.case for group in groups for case in self.members[group])

    def values(self, column: str) -> dict[str, set[str]]:
        """Return the values that each group has in an attribute column."""
        return {
            group: {case.attributes[column] for case in cases}
            for group, cases in self.members.items()
        }

    def stratum(self, group: str) -> tuple[str, ...]:
        """Return a group's most frequent value of each stratified column, the first of equals."""
        found: list[str] = []
        for column in self.validation.stratify:
            count = Counter(case.attributes[column] for case in self.members[group])
            found.append(min(count, key=lambda value: (-count[value], value)))

        return tuple(found)

    def spread(self, groups: Sequence[str], purpose: str) -> list[str]:
        """Return the groups shuffled, such that every beginning has each stratum's share."""
        strata: dict[tuple[str, ...], list[str]] = {}
        for group in self.shuffled(groups, purpose):
            strata.setdefault(self.stratum(group), []).append(group)

        ranked = [
            ((place + 0.5) / len(members), group)
            for members in strata.values()
            for place, group in enumerate(members)
        ]
        # The sort is stable and looks at the rank only: equal ranks stay in shuffled order.
        return [group for _, group in sorted(ranked, key=lambda entry: entry[0])]

    def portion(
        self, groups: Sequence[str], fraction: float, purpose: str, *, most: int
    ) -> list[str]:
        """Return groups that together hold about a fraction of all development cases.

        Args:
            groups: those to choose from.
            fraction: of all development cases.
            purpose: names the draw.
            most: how many groups to return at most; at least one, where this allows it.
        """
        target = fraction * len(self.cases)
        order = self.spread(groups, purpose)
        chosen: list[str] = []
        total = 0

        for group in order:
            size = self.size(group)
            if len(chosen) < most and abs(total + size - target) < abs(total - target):
                chosen.append(group)
                total += size

        if not chosen and most > 0:
            chosen = [min(order, key=self.size)]

        return chosen

    def parts(self, groups: Sequence[str], count: int) -> list[list[str]]:
        """Return the groups dealt to `count` parts of about equal cases, in each stratum too."""
        order = sorted(self.shuffled(groups, "folds"), key=lambda group: -self.size(group))
        found: list[list[str]] = [[] for _ in range(count)]
        load: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(count)]

        for group in sorted(order, key=self.stratum):
            stratum = self.stratum(group)
            weights = [(load[i][stratum], load[i].total(), len(found[i]), i) for i in range(count)]
            place = min(weights)[-1]
            found[place].append(group)
            load[place][stratum] += self.size(group)

        return found


class Guard:
    """Sees that no group stands on two sides, whoever made the division."""

    def __init__(self, group_of: Mapping[str, str], names: Mapping[str, str]) -> None:
        self._group_of = group_of
        self._names = names

    def called(self, alias: str) -> str:
        """Return what a person calls an alias."""
        return self._names.get(alias, alias)

    def apart(self, left: Sequence[str], right: Sequence[str], sides: str) -> None:
        """Raise GroupLeak where a group has cases in both."""
        first = {self._group_of[case]: case for case in sorted(left, reverse=True)}
        for case in sorted(right):
            group = self._group_of[case]
            if group in first:
                pair = f"{self.called(first[group])} and {self.called(case)}"
                raise leak(f"{self.called(group)} is in both {sides}: {pair}", sides)

    def folds(self, folds: Sequence[Fold], inner: Sequence[str]) -> None:
        """Check every fold against itself and the inner set, and validation between folds."""
        judged: dict[str, str] = {}
        for fold in folds:
            self.apart(fold.fit, fold.validation, f"fit and validation of {fold.fold}")
            self.apart(inner, (*fold.fit, *fold.validation), f"inner and {fold.fold}")
            for case in fold.validation:
                if case in judged:
                    raise unfit(
                        f"{self.called(case)} is validated in {judged[case]} and in {fold.fold}"
                    )
                judged[case] = fold.fold

            if not fold.fit or not fold.validation:
                empty = "validation" if fold.fit else "fit"
                raise unfit(f"{fold.fold} has no {empty} cases")

    def one_value(self, work: Development, column: str) -> dict[str, str]:
        """Return each group's value of a column that divides the cases.

        Raises:
            GroupLeak: a group has several, so the column would cut it.
        """
        values = work.values(column)
        for group in sorted(values):
            if len(values[group]) > 1:
                listed = " and ".join(f'"{value}"' for value in sorted(values[group]))
                raise leak(
                    f"{self.called(group)} has {column} {listed}: the column would cut it",
                    f"column {column} of the case table",
                )

        return {group: min(found) for group, found in values.items()}


def leak(what: str, where: str) -> GroupLeak:
    """Return the error for a group on two sides."""
    return GroupLeak(
        what,
        where=where,
        why="whoever has seen a patient answers better about that one than about new ones",
        do="give all cases of one group the same side",
    )


def unfit(what: str) -> SplitWrong:
    """Return the error for a division that does not fit these cases."""
    return SplitWrong(
        what,
        where="task.toml, [validation]",
        why="every validation case is judged once, by a model that never saw its group",
        do='correct the division, or write scheme = "auto"',
    )


__all__ = ["Development", "Guard", "leak", "unfit"]
