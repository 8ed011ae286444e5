"""Metrics of probabilities are scikit-learn's, for one set and for thousands of weighted ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics as sk

from amid.kinds.classification.metrics import macro, measured

Floats = NDArray[np.float64]


def drawn(seed: int, classes: int, cases: int = 60) -> tuple[Floats, Floats]:
    """Return probabilities with ties, and one true class a case, every class at least twice."""
    draw = np.random.default_rng(seed)
    truth = np.eye(classes)[np.arange(cases) % classes]
    shares = np.round(draw.dirichlet(np.ones(classes), cases) + 0.3 * truth, 2)
    return shares / shares.sum(axis=1, keepdims=True), truth


def one(name: str, shares: Floats, truth: Floats, *, several: bool = False) -> float:
    whole = np.ones((1, len(shares)))
    return float(macro(measured(name, shares, truth, whole, several=several))[0])


@pytest.mark.parametrize("seed", range(5))
def test_two_classes_agree_with_scikit_learn(seed: int) -> None:
    shares, truth = drawn(seed, 2)
    wanted, score, called = truth[:, 1], shares[:, 1], shares.argmax(axis=1)

    assert one("auroc", shares, truth) == pytest.approx(sk.roc_auc_score(wanted, score))
    assert one("average-precision", shares, truth) == pytest.approx(
        sk.average_precision_score(wanted, score)
    )
    assert one("brier", shares, truth) == pytest.approx(sk.brier_score_loss(wanted, score))
    assert one("log-loss", shares, truth) == pytest.approx(sk.log_loss(wanted, shares))
    assert one("accuracy", shares, truth) == pytest.approx(sk.accuracy_score(wanted, called))
    assert one("balanced-accuracy", shares, truth) == pytest.approx(
        sk.balanced_accuracy_score(wanted, called)
    )
    assert one("f1", shares, truth) == pytest.approx(sk.f1_score(wanted, called, average="macro"))


@pytest.mark.parametrize("seed", range(5))
def test_four_classes_agree_with_scikit_learn(seed: int) -> None:
    shares, truth = drawn(seed, 4)
    number, called = truth.argmax(axis=1), shares.argmax(axis=1)

    assert one("auroc", shares, truth) == pytest.approx(
        sk.roc_auc_score(number, shares, multi_class="ovr", average="macro")
    )
    assert one("average-precision", shares, truth) == pytest.approx(
        sk.average_precision_score(truth, shares, average="macro")
    )
    assert one("balanced-accuracy", shares, truth) == pytest.approx(
        sk.balanced_accuracy_score(number, called)
    )
    assert one("f1", shares, truth) == pytest.approx(sk.f1_score(number, called, average="macro"))


def test_several_classes_are_measured_one_by_one() -> None:
    draw = np.random.default_rng(3)
    truth = (draw.random((80, 3)) < 0.4).astype(np.float64)
    shares = np.clip(0.5 * draw.random((80, 3)) + 0.4 * truth, 0, 1)

    assert one("auroc", shares, truth, several=True) == pytest.approx(
        sk.roc_auc_score(truth, shares, average="macro")
    )
    assert one("f1", shares, truth, several=True) == pytest.approx(
        sk.f1_score(truth, shares >= 0.5, average="macro")
    )


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["auroc", "average-precision", "f1", "brier"]))
def test_a_weighted_set_is_the_set_with_cases_repeated(seed: int, name: str) -> None:
    shares, truth = drawn(seed, 3, 24)
    counts = np.random.default_rng(seed).integers(0, 4, 24)
    repeated = np.repeat(np.arange(24), counts)

    weighted = macro(measured(name, shares, truth, counts[None].astype(float), several=False))

    if len(repeated):
        assert weighted[0] == pytest.approx(
            one(name, shares[repeated], truth[repeated]), nan_ok=True
        )


def test_a_class_without_cases_has_no_value_and_leaves_the_mean() -> None:
    shares, truth = drawn(1, 3, 30)
    weights = 1.0 - truth[:, 2]  # all cases of the third class are left out

    values = measured("auroc", shares, truth, weights[None], several=False)

    assert np.isnan(values[0, 2])
    assert np.isfinite(macro(values)[0])


def test_calibration_error_by_hand() -> None:
    # Given two certain answers of which one is wrong, and two at 0.6 of which both are right
    shares = np.asarray([[0.0, 1.0], [0.0, 1.0], [0.4, 0.6], [0.4, 0.6]])
    truth = np.asarray([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])

    assert one("calibration-error", shares, truth) == pytest.approx((2 * 0.5 + 2 * 0.4) / 4)
