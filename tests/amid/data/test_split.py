"""The split: laws for any inventory, and the rule for each number of groups."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amid.data.split import Dealt, Given, deal
from amid.documents import Case, Inventory, Split
from amid.errors import GroupLeak, SplitWrong, TooFewGroups
from tests.amid.sample import case, contract, inventory


def patients(sizes: list[int], test: int = 0, **columns: list[str]) -> Inventory:
    """Return groups of the given sizes, the last `test` of them hidden."""
    found: list[Case] = []
    for number, size in enumerate(sizes):
        values = {name: column[number] for name, column in columns.items()}
        for _ in range(size):
            hidden = number >= len(sizes) - test
            one = case(f"c-{len(found):04d}", f"g-{number:04d}", test=hidden)
            found.append(one.model_copy(update={"attributes": values}))

    return inventory(*found)


sizes = st.lists(st.integers(1, 4), min_size=3, max_size=40)
seeds = st.integers(0, 2**40)


@given(sizes, st.integers(0, 5), seeds, st.sampled_from(["auto", "kfold", "leave-one-out"]))
def test_every_case_stands_in_one_place_and_no_group_is_cut(
    sizes: list[int], hidden: int, seed: int, scheme: str
) -> None:
    stock = patients([*sizes, *[2] * hidden], test=hidden)

    split = deal(stock, contract(scheme=scheme), seed).split

    everything = {c.case for c in stock.cases}
    development = everything - set(split.test)
    judged = [name for fold in split.folds for name in fold.validation]
    assert set(split.test) == {c.case for c in stock.cases if c.split == "test"}
    assert len(judged) == len(set(judged))
    for fold in split.folds:
        assert fold.fit and fold.validation
        parts = [fold.fit, fold.validation, split.inner, split.test]
        assert sorted(name for part in parts for name in part) == sorted(everything)
        assert_whole(split, parts)
    if split.scheme != "holdout":
        assert set(judged) == development - set(split.inner)


def assert_whole(split: Split, parts: list[tuple[str, ...]]) -> None:
    groups = [{split.group_of[name] for name in part} for part in parts]
    assert sum(map(len, groups)) == len(set().union(*groups))


@given(sizes, seeds, st.randoms(use_true_random=False))
def test_the_split_depends_on_the_seed_not_on_the_order(
    sizes: list[int], seed: int, dice: random.Random
) -> None:
    stock = patients(sizes)
    shuffled = list(stock.cases)
    dice.shuffle(shuffled)

    first = deal(stock, contract(), seed)

    assert deal(Inventory(cases=tuple(shuffled)), contract(), seed) == first


@given(sizes, seeds)
def test_folds_differ_by_no_more_than_the_largest_group(sizes: list[int], seed: int) -> None:
    split = deal(patients(sizes), contract(scheme="kfold", inner=0), seed).split

    counts = [len(fold.validation) for fold in split.folds]
    assert max(counts) - min(counts) <= max(sizes)


@pytest.mark.parametrize(
    ("groups", "scheme", "folds", "inner"),
    [
        (3, "leave-one-out", 3, 0),
        (4, "leave-one-out", 4, 0),
        (5, "kfold", 5, 0),
        (6, "kfold", 5, 1),
        (19, "kfold", 5, 2),
        (20, "holdout", 1, 2),
        (100, "holdout", 1, 10),
    ],
)
def test_the_number_of_groups_decides(groups: int, scheme: str, folds: int, inner: int) -> None:
    dealt = deal(patients([2] * groups), contract(), 1)

    assert dealt.scheme == dealt.split.scheme == scheme
    assert len(dealt.split.folds) == folds
    assert len({dealt.split.group_of[name] for name in dealt.split.inner}) == inner


def test_a_holdout_holds_its_fraction_of_cases() -> None:
    fold = deal(patients([1, 2, 3] * 20), contract(fraction=0.25), 3).split.folds[0]

    assert len(fold.validation) == pytest.approx(30, abs=2)


@pytest.mark.parametrize("groups", [1, 2])
def test_fewer_than_three_groups_give_no_score(groups: int) -> None:
    with pytest.raises(TooFewGroups) as caught:
        deal(patients([4] * groups), contract(), 1)

    assert caught.value.exit_code == 1


def test_a_holdout_of_few_groups_is_refused() -> None:
    with pytest.raises(SplitWrong, match="needs 20 development groups, 19 are there"):
        deal(patients([1] * 19), contract(scheme="holdout"), 1)


def test_few_groups_and_no_test_set_are_findings() -> None:
    findings = deal(patients([1, 1, 1]), contract(), 1).findings

    assert "few groups: 3; results can be flagged at best, 5 are enough" in findings
    assert "there is no hidden test set: validation is the only score" in findings


def test_an_inner_share_of_zero_means_none() -> None:
    assert deal(patients([1] * 30), contract(inner=0), 1).split.inner == ()


def test_another_seed_deals_otherwise() -> None:
    stock = patients([1] * 40)

    assert deal(stock, contract(), 1).split != deal(stock, contract(), 2).split


def test_too_many_folds_become_as_many_as_there_are_groups() -> None:
    dealt = deal(patients([1] * 7), contract(scheme="kfold", folds=10), 1)

    assert len(dealt.split.folds) == 7
    assert "7 folds instead of 10: there are no more groups" in dealt.findings


# --- stratification ---------------------------------------------------------------------------


@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=30, max_size=60), seeds)
def test_each_stratum_is_dealt_evenly(sites: list[str], seed: int) -> None:
    stock = patients([1] * len(sites), site=sites)

    split = deal(stock, contract(scheme="kfold", stratify=("site",), inner=0), seed).split

    site = {c.case: c.attributes["site"] for c in stock.cases}
    for value in set(sites):
        counts = [sum(site[n] == value for n in fold.validation) for fold in split.folds]
        assert max(counts) - min(counts) <= 1


def test_a_stratified_holdout_keeps_the_shares() -> None:
    stock = patients([1] * 100, site=["a"] * 70 + ["b"] * 30)

    dealt = deal(stock, contract(stratify=("site",)), 5)

    site = {c.case: c.attributes["site"] for c in stock.cases}
    judged = [site[name] for name in dealt.split.folds[0].validation]
    assert (judged.count("a"), judged.count("b")) == (14, 6)
    assert not any("site" in finding for finding in dealt.findings)


def test_an_imbalance_that_groups_force_is_a_finding() -> None:
    stock = patients([10, 1, 1, 1, 1], site=["a", "b", "b", "b", "b"])

    findings = deal(stock, contract(stratify=("site",)), 1).findings

    assert any("site = a: 100% of validation, 0% of fit in f1" in says for says in findings)


# --- divisions that somebody else made --------------------------------------------------------


def test_one_site_after_the_other_is_left_out() -> None:
    stock = patients([1] * 12, site=["a", "b", "c"] * 4)

    dealt = deal(stock, contract(scheme="leave-one-out", by="site"), 1)

    site = {c.case: c.attributes["site"] for c in stock.cases}
    assert [{site[n] for n in fold.validation} for fold in dealt.split.folds] == [
        {"a"},
        {"b"},
        {"c"},
    ]
    assert "f1 leaves out site = a" in dealt.findings


def test_a_column_names_the_folds() -> None:
    stock = patients([1] * 6, fold=["2", "1", "2", "1", "inner", "inner"])

    split = deal(stock, contract(scheme="column", by="fold"), 1).split

    assert split.folds[0].validation == ("c-0001", "c-0003")
    assert split.inner == ("c-0004", "c-0005")


def test_a_column_may_name_the_sides() -> None:
    stock = patients([1] * 4, side=["fit", "validation", "fit", "inner"])

    split = deal(stock, contract(scheme="column", by="side"), 1).split

    assert split.folds[0].fit == ("c-0000", "c-0002")
    assert split.folds[0].validation == ("c-0001",)
    assert split.inner == ("c-0003",)


def test_a_column_that_cuts_a_patient_is_refused_by_name() -> None:
    stock = inventory(
        case("c-1", "g-1", fold="1"),
        case("c-2", "g-1", fold="2"),
        case("c-3", "g-2", fold="1"),
        case("c-4", "g-3", fold="2"),
    )

    with pytest.raises(GroupLeak, match='patient P1 has fold "1" and "2"'):
        deal(stock, contract(scheme="column", by="fold"), 1, names={"g-1": "patient P1"})


def test_a_column_of_one_value_leaves_nothing_out() -> None:
    stock = patients([1] * 4, site=["a"] * 4)

    with pytest.raises(SplitWrong, match="one value only"):
        deal(stock, contract(scheme="leave-one-out", by="site"), 1)


FILE = contract(scheme="file", file="splits_final.json")


def given_split(*folds: tuple[list[str], list[str]]) -> Dealt:
    parts = [Given(fit=tuple(fit), validation=tuple(judged)) for fit, judged in folds]
    return deal(patients([2, 1, 1, 1]), FILE, 1, given=parts, names={"g-0000": "patient P0"})


def test_a_given_split_is_kept_and_the_rest_is_inner() -> None:
    dealt = given_split((["c-0000", "c-0001"], ["c-0002"]), (["c-0002"], ["c-0003"]))

    assert dealt.scheme == "file"
    assert [fold.validation for fold in dealt.split.folds] == [("c-0002",), ("c-0003",)]
    assert dealt.split.inner == ("c-0004",)


def test_a_given_split_without_inner_is_a_finding() -> None:
    rest = ["c-0000", "c-0001", "c-0002", "c-0003"]

    assert any("leaves no inner set" in says for says in given_split((rest, ["c-0004"])).findings)


@pytest.mark.parametrize(
    ("folds", "error", "says"),
    [
        ([(["c-0000"], ["c-0001"])], GroupLeak, "patient P0 is in both fit and validation of f1"),
        ([(["c-0000"], ["c-0002"])], GroupLeak, "patient P0 is in both inner and f1"),
        ([(["c-0002"], ["c-0003"]), (["c-0004"], ["c-0003"])], SplitWrong, "in f1 and in f2"),
        ([(["c-0002"], [])], SplitWrong, "f1 has no validation cases"),
        ([([], ["c-0002"])], SplitWrong, "f1 has no fit cases"),
    ],
)
def test_a_given_split_is_checked_like_any_other(
    folds: list[tuple[list[str], list[str]]], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        given_split(*folds)


def test_a_group_on_both_sides_of_the_table_is_refused() -> None:
    stock = inventory(*(case(f"c-{i}", f"g-{i}") for i in range(4)), case("c-9", "g-0", test=True))

    with pytest.raises(GroupLeak, match="both training and test"):
        deal(stock, contract(), 1)
