"""Posteriors under other priors: against Bayes' rule on the densities themselves."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from kernelproba.decision import (
    as_priors,
    class_priors,
    mean_class_weights,
    reweight_log_posterior,
    reweight_posterior,
    undo_weights,
)
from kernelproba.number_range import LOG_ZERO

OLD, NEW = np.array([0.5, 0.3, 0.2]), np.array([0.05, 0.05, 0.9])


def bayes(x, priors):
    joint = norm.pdf(x[:, None], [-1, 0, 2]) * priors
    return joint / joint.sum(axis=1, keepdims=True)


def test_reweighting_is_bayes_rule_with_the_new_priors():
    x = np.linspace(-4, 5, 50)
    np.testing.assert_allclose(reweight_posterior(bayes(x, OLD), OLD, NEW), bayes(x, NEW), atol=1e-14)


def test_equal_priors_leave_the_posterior_untouched_to_the_last_bit():
    P = bayes(np.linspace(-4, 5, 50), OLD)
    assert np.array_equal(reweight_posterior(P, OLD, OLD), P)


def test_a_class_of_new_prior_zero_vanishes_and_certain_rows_fall_back_to_the_priors():
    P = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    Q = reweight_posterior(P, np.full(3, 1 / 3), np.array([0.0, 0.25, 0.75]))
    np.testing.assert_allclose(Q, [[0, 0.25, 0.75], [0, 0.25, 0.75], [0, 1, 0]], atol=1e-15)


def test_extreme_probabilities_and_priors_neither_overflow_nor_vanish():
    tiny = 1e-300
    Q = reweight_posterior(np.array([[1.0, tiny]]), np.array([1.0, tiny]), np.array([tiny, 1.0]))
    np.testing.assert_allclose(Q, [[tiny, 1.0]], rtol=1e-10)


def test_a_class_that_training_has_not_seen_cannot_return():
    with pytest.raises(ValueError, match=r"positions \[1\]"):
        reweight_posterior(np.array([[1.0, 0.0]]), np.array([1.0, 0.0]), np.array([0.5, 0.5]))


def test_undoing_class_weights_restores_the_unweighted_posterior():
    x, weights = np.linspace(-4, 5, 50), np.array([3.0, 0.2, 11.0])
    weighted = bayes(x, OLD * weights)
    np.testing.assert_allclose(undo_weights(weighted, weights), bayes(x, OLD), atol=1e-14)


def test_row_weights_shift_priors_by_their_mean_in_each_class():
    rng = np.random.default_rng(0)
    y, weights = rng.integers(3, size=200), rng.exponential(size=200)
    ratio = class_priors(y, 3, weights) / class_priors(y, 3)
    means = mean_class_weights(y, 3, weights)
    np.testing.assert_allclose(ratio / ratio[0], means / means[0])
    balanced = 200 / (3 * np.bincount(y))
    np.testing.assert_allclose(mean_class_weights(y, 3, balanced[y]), balanced)
    assert mean_class_weights(y, 4, weights)[3] == 0


def test_weights_of_zero_cannot_be_undone():
    with pytest.raises(ValueError, match=r"positive and finite.*leave the class out"):
        undo_weights(np.array([[1.0, 0.0]]), np.array([1.0, 0.0]))


@pytest.mark.parametrize(
    "written",
    [[0.2, 0.8], {"yes": 0.8, "no": 0.2}, pd.Series([0.8, 0.2], ["yes", "no"])],
    ids=["list", "mapping", "series"],
)
def test_priors_are_read_by_position_or_by_label(written):
    np.testing.assert_allclose(as_priors(written, ["no", "yes"]), [0.2, 0.8])


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ([0.2, 0.7], "sum to one.*0.9"),
        ([-0.2, 1.2], "non-negative"),
        ([np.nan, 1.0], "non-negative"),
        ([0.2, 0.3, 0.5], r"each of the 2 classes.*shape \(3,\)"),
        ({"no": 0.5, "maybe": 0.5}, r"unknown: \['maybe'\], missing: \['yes'\]"),
        ({"no": 1.0}, r"missing: \['yes'\]"),
    ],
)
def test_bad_priors_are_refused_with_the_cure(written, message):
    with pytest.raises(ValueError, match=message):
        as_priors(written, ["no", "yes"])


def test_in_logarithms_a_class_that_underflows_can_come_back():
    log_P = np.array([[0.0, -1000.0]])
    new = np.array([1e-290, 1 - 1e-290])
    log_Q = reweight_log_posterior(log_P, np.array([0.5, 0.5]), new)
    assert log_Q[0, 1] == pytest.approx(-1000 - np.log(1e-290))
    assert log_Q[0, 0] == pytest.approx(0.0)


def test_in_logarithms_a_class_of_prior_zero_is_impossible_and_finite():
    log_Q = reweight_log_posterior(np.log([[0.3, 0.7]]), np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    assert log_Q.tolist() == [[0.0, LOG_ZERO]]
