"""Pools of models, with answers that are known."""

import numpy as np
import pytest
from scipy.special import log_softmax

from kernelproba.rows.folds import unit_folds
from kernelproba.tuning.kernel_logistic.pooling import (
    PRIOR,
    _simplex_fit,
    cross_fitted,
    fit_pool,
    pooled,
    worthwhile,
)
from kernelproba.tuning.scorers import smoothed_log_likelihood

RNG = np.random.default_rng(0)


def drawn(n):
    """Labels drawn from p ∝ exp(f₁/2 + f₂/2), and the log-probabilities by f₁ and by f₂."""
    F = RNG.standard_normal((2, n, 3)) * 3
    P = np.exp(log_softmax(F.mean(axis=0), axis=1))
    y = (RNG.random(n)[:, None] > P.cumsum(axis=1)).sum(axis=1)
    return [log_softmax(f, axis=1) for f in F], y


def test_a_pool_of_two_halves_of_the_truth_is_found():
    log_Ps, y = drawn(4000)
    weights = fit_pool(log_Ps, y, np.ones(4000))
    np.testing.assert_allclose(weights, [0.5, 0.5], atol=0.05)


def test_a_model_that_says_what_another_says_is_not_worth_its_cost():
    log_Ps, y = drawn(4000)
    noise = 0.1 * np.random.default_rng(1).standard_normal((4000, 3))
    log_Ps.append(log_softmax(log_Ps[0] + noise, axis=1))
    assert len(worthwhile(log_Ps, y, np.ones(4000), 0.0025)) == 2
    assert worthwhile(log_Ps[:2], y, np.ones(4000), 0.0025) == [0, 1]
    assert len(worthwhile(log_Ps, y, np.ones(4000), 10.0)) == 1


@pytest.mark.parametrize("n", [8, 60, 500])
def test_no_other_weights_have_less_loss(n):
    log_Ps, y = drawn(n)
    log_Ps.append(log_softmax(RNG.standard_normal((n, 3)), axis=1))
    weight = RNG.uniform(0.5, 2, n)

    def loss(v):
        fit = smoothed_log_likelihood(pooled(log_Ps, v), y, weight, weight.sum())
        return -fit - PRIOR * np.log(v).sum() / weight.sum()

    found = _simplex_fit(log_Ps, y, weight)
    assert found.sum() == pytest.approx(1)
    around = found * RNG.uniform(0.5, 2, (200, 3))
    others = [*RNG.dirichlet(np.ones(3), 200), *(around / around.sum(axis=1, keepdims=True))]
    assert loss(found) <= min(map(loss, others)) + 1e-9


def test_models_that_are_certain_and_wrong_have_finite_weights():
    y = np.array([0, 1, 0, 1])
    sure = np.where(np.eye(2)[y] > 0, -1e300, 0.0)
    weights = fit_pool([sure, np.log(np.full((4, 2), 0.5))], y, np.ones(4))
    assert weights.sum() == pytest.approx(1)
    assert weights[1] > weights[0]


def test_a_model_that_knows_nothing_is_left_out_where_rows_are_many_and_kept_where_they_are_few():
    (good, _), y = drawn(4000)
    y = good.argmax(axis=1)
    idle = np.full_like(good, -np.log(3))
    assert fit_pool([good, idle], y, np.ones(4000)).tolist() == [1, 0]
    few = fit_pool([good[:5], idle[:5]], y[:5], np.ones(5))
    assert few.min() > 0.1


def test_weights_are_counts():
    log_Ps, y = drawn(60)
    count = RNG.integers(1, 4, 60)
    repeated = [np.repeat(each, count, axis=0) for each in log_Ps]
    weighted = fit_pool(log_Ps, y, count.astype(float))
    np.testing.assert_allclose(
        weighted, fit_pool(repeated, np.repeat(y, count), np.ones(count.sum())), atol=1e-3
    )


def test_a_pool_of_one_model_is_that_model():
    log_Ps, y = drawn(50)
    assert fit_pool(log_Ps[:1], y, np.ones(50)).tolist() == [1]
    np.testing.assert_allclose(pooled(log_Ps[:1], np.ones(1)), log_Ps[0])


def folds_of(y, units):
    return unit_folds(np.arange(len(y)), y, units, 10)


def test_no_row_has_a_part_in_its_own_pool():
    log_Ps, y = drawn(100)
    folds = folds_of(np.zeros(100, dtype=int), np.ones(100, dtype=int))
    before = cross_fitted(log_Ps, y, np.ones(100), folds)
    other, own = y.copy(), folds[3].test
    other[own] = (y[own] + 1) % 3
    after = cross_fitted(log_Ps, other, np.ones(100), folds)
    np.testing.assert_allclose(after[own], before[own])
    assert np.abs(after - before).max() > 1e-6


def test_a_row_that_stands_for_many_observations_is_predicted_as_these_are():
    log_Ps, y = drawn(40)
    count = np.where(np.arange(40) == 0, 300, 1)
    rows = np.repeat(np.arange(40), count)
    folds = unit_folds(np.arange(40), y, count, 10)
    merged = cross_fitted(log_Ps, y, count.astype(float), folds)
    alone = unit_folds(np.arange(len(rows)), y[rows], np.ones_like(rows), 10)
    apart = cross_fitted([each[rows] for each in log_Ps], y[rows], np.ones(len(rows)), alone)
    assert np.abs(np.exp(merged[0]) - np.exp(apart[rows == 0]).mean(axis=0)).max() < 1e-3


def test_copies_of_an_observation_have_a_part_in_its_pool():
    # 300 observations at each of six places: without all of a place the temperature would be another.
    truth = np.array([0.03, 0.1, 0.3, 0.6, 0.8, 0.95])
    P = np.repeat(np.column_stack([1 - truth, truth]), 2, axis=0)
    y, units = np.tile([0, 1], 6), np.rint(300 * P[np.arange(12), np.tile([0, 1], 6)]).astype(int)
    sure = log_softmax(2 * np.log(P), axis=1)
    log_P = cross_fitted([sure], y, units.astype(float), folds_of(y, units))
    np.testing.assert_allclose(np.exp(log_P), P, atol=0.01)


def test_weights_of_no_rows_are_even():
    log_Ps, y = drawn(10)
    assert fit_pool(log_Ps, y, np.zeros(10)) == pytest.approx(0.5)
