import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amid.kinds.segmentation.metrics.registry import metric
from amid.review.intervals import (
    Grouped,
    beats,
    grouped,
    interval,
    paired,
    standard_error,
    t_quantile,
)


def groups_of(values: list[float]) -> Grouped:
    return grouped([(f"g-{i:04d}", value) for i, value in enumerate(values)])


def draw(seed: int, n: int) -> list[float]:
    return [float(v) for v in np.random.RandomState(seed).beta(8, 2, n)]


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 8, 13, 19, 30])
def test_t_quantiles_are_those_of_scipy(freedom: int) -> None:
    from scipy import stats

    for probability in (0.02, 0.6, 0.975, 0.9995):
        wanted = float(stats.t.ppf(probability, freedom))
        assert t_quantile(probability, freedom) == pytest.approx(wanted, rel=1e-9)


def test_few_groups_get_the_t_interval_and_a_remark() -> None:
    from scipy import stats

    values = draw(1, 10)
    found = interval(groups_of(values))
    low, high = stats.t.interval(0.95, 9, np.mean(values), stats.sem(values))
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)
    assert found.method == "t"
    assert "covers less" in found.remark


@pytest.mark.parametrize(
    ("name", "values", "ends"),
    [
        ("dice", [0.99, 0.92], (None, 1.0)),
        ("dice", [0.01, 0.2], (0.0, 1.0)),
        ("nsd@1mm", [1.0, 0.9], (None, 1.0)),
        ("hd95", [0.1, 3.0], (0.0, None)),
        ("hd95.surfel", [0.1, 3.0], (0.0, None)),
    ],
)
def test_an_interval_ends_where_its_metric_ends(
    name: str, values: list[float], ends: tuple[float | None, float | None]
) -> None:
    free, found = (
        interval(groups_of(values)),
        interval(groups_of(values), within=metric(name).within),
    )
    assert found.low == (free.low if ends[0] is None else ends[0])
    assert found.high == (free.high if ends[1] is None else ends[1])
    assert (found.value, found.standard_error) == (free.value, free.standard_error)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_the_value_lies_in_a_cut_interval(values: list[float]) -> None:
    found = interval(groups_of(values), within=(0.0, 1.0))
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.high <= 1
    assert found.low - 1e-9 <= found.value <= found.high + 1e-9


def test_a_gain_is_not_cut() -> None:
    found = interval(groups_of([-0.4, 0.1, 0.0]))
    assert found.low is not None
    assert found.low < -0.4


def test_many_groups_get_the_bca_interval_of_scipy() -> None:
    from scipy import stats

    values = draw(2, 60)
    found = interval(groups_of(values))
    wanted = stats.bootstrap((np.array(values),), np.mean, method="BCa", rng=1).confidence_interval
    assert found.method == "bca"
    assert found.remark == ""
    assert found.low == pytest.approx(wanted.low, abs=0.002)
    assert found.high == pytest.approx(wanted.high, abs=0.002)


def test_the_bootstrap_gives_the_same_bytes_for_ever() -> None:
    found = interval(groups_of([i / 30 for i in range(30)]))
    assert round(found.low or 0, 9) == 0.375555556
    assert round(found.high or 0, 9) == 0.585555556


def test_one_group_has_no_interval() -> None:
    found = interval(grouped([("g", 0.5), ("g", 0.7)]))
    assert (found.value, found.low, found.high) == (0.6, None, None)


def test_cases_of_one_group_count_as_one_observation() -> None:
    values = draw(3, 8)
    single = groups_of(values)
    twice = grouped([(f"g-{i:04d}", v) for i, v in enumerate(values) for _ in range(2)])
    assert twice.mean == pytest.approx(single.mean)
    assert standard_error(twice) == pytest.approx(standard_error(single))


def test_the_estimate_is_the_mean_over_cases() -> None:
    assert grouped([("a", 1.0), ("b", 0.0), ("b", 0.0)]).mean == pytest.approx(1 / 3)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=45))
def test_the_interval_holds_the_estimate(values: list[float]) -> None:
    found = interval(groups_of(values))
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high


def test_more_looks_widen_the_interval() -> None:
    data = groups_of(draw(4, 30))
    once, often = interval(data), interval(data, alpha=0.05 / 12)
    assert (often.low or 1) < (once.low or 0)
    assert (often.high or 0) > (once.high or 1)


def test_beats_needs_the_lower_end_above_zero() -> None:
    noise = [v - 0.8 for v in draw(5, 30)]
    assert beats(groups_of([0.2 + v for v in noise]), "maximize")
    assert not beats(groups_of([0.2 + v for v in noise]), "minimize")
    assert beats(groups_of([-0.2 + v for v in noise]), "minimize")
    assert not beats(groups_of([0.001 + v for v in noise]), "maximize")


def test_looks_can_take_a_narrow_win_away() -> None:
    gain = groups_of([0.04 + v - 0.8 for v in draw(6, 60)])
    assert [beats(gain, "maximize", looks=n) for n in (1, 1000)] == [True, False]


def test_under_eight_groups_each_must_be_better() -> None:
    assert beats(groups_of([0.1] * 7), "maximize")
    assert not beats(groups_of([0.9] * 6 + [-0.001]), "maximize")
    assert not beats(groups_of([0.9] * 6 + [0.0]), "maximize")


def test_nothing_beats_nothing() -> None:
    assert not beats(Grouped((), ()), "maximize")
    with pytest.raises(ValueError, match="status"):
        interval(Grouped((), ()))


def test_pairs_are_made_case_by_case_and_leave_undefined_ones_out() -> None:
    found = paired(
        {"a": 0.9, "b": None, "c": 0.5, "d": 1.0},
        {"a": 0.4, "b": 0.1, "c": None},
        {"a": "g1", "b": "g1", "c": "g2", "d": "g2"},
    )
    assert found == Grouped((0.5,), (1,))
