"""Least expected loss: against integrals of the true densities, and against loops."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.stats import norm

from kernelproba.decision import (
    REJECTED,
    coverage_threshold,
    expected_risk,
    minimum_risk,
    realised_cost,
    zero_one_loss,
)


def posterior(x, means, priors):
    joint = norm.pdf(x[:, None], means) * priors
    return joint / joint.sum(axis=1, keepdims=True)


def bayes_cost(means, priors, costs, reject_cost=np.inf):
    """∫ min_j Σ_i π_i p(x|i) L_ij dx on a fine grid, with rejecting as one more decision."""
    grid = np.linspace(means.min() - 9, means.max() + 9, 8_001)
    joint = norm.pdf(grid[:, None], means) * priors
    reject = joint.sum(axis=1) * reject_cost if np.isfinite(reject_cost) else np.inf
    return trapezoid(np.minimum((joint @ costs).min(axis=1), reject), grid)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("reject_cost", [None, 0.3])
def test_the_realised_cost_is_the_bayes_cost_given_the_true_posterior(n_classes, reject_cost):
    rng = np.random.default_rng(n_classes)
    within = []
    for _ in range(40):
        means, priors = rng.normal(scale=2, size=n_classes), rng.dirichlet(np.full(n_classes, 3.0))
        costs = rng.uniform(size=(n_classes, n_classes)) * (1 - np.eye(n_classes))
        truth = rng.choice(n_classes, size=4000, p=priors)
        P = posterior(rng.normal(means[truth]), means, priors)
        chosen = minimum_risk(P, costs, reject_cost).chosen
        cost = realised_cost(truth, chosen, costs, 0.0 if reject_cost is None else reject_cost)
        optimum = bayes_cost(means, priors, costs, np.inf if reject_cost is None else reject_cost)
        within.append(abs(cost.mean() - optimum) <= 2 * cost.std() / np.sqrt(len(cost)))
    # A fair coin of 95 % shows fewer than 35 of 40 once in 110 runs.
    assert sum(within) >= 35


def test_risks_are_the_sums_that_define_them():
    rng = np.random.default_rng(0)
    P, costs = rng.dirichlet(np.ones(3), size=5), rng.normal(size=(5, 3, 3))
    by_hand = [[sum(P[n, i] * costs[n, i, j] for i in range(3)) for j in range(3)] for n in range(5)]
    np.testing.assert_allclose(expected_risk(P, costs), by_hand, atol=1e-14)
    np.testing.assert_allclose(
        expected_risk(P, costs[0]), expected_risk(P, np.broadcast_to(costs[0], (5, 3, 3))), atol=1e-15
    )


def test_zero_one_costs_choose_the_argmax_even_where_probabilities_differ_by_one_bit():
    rng = np.random.default_rng(0)
    P = np.tile(rng.dirichlet(np.ones(4), size=500), (2, 1))
    tied = np.arange(len(P))
    P[tied, 2] = np.nextafter(P[tied, 1], rng.choice([0.0, 1.0], size=len(P)))
    chosen = minimum_risk(P, zero_one_loss(4)).chosen
    np.testing.assert_array_equal(chosen, P.argmax(axis=1))
    rowwise = np.broadcast_to(zero_one_loss(4), (len(P), 4, 4))
    np.testing.assert_array_equal(minimum_risk(P, rowwise).chosen, chosen)


def test_a_row_is_rejected_only_if_deciding_costs_more():
    P = np.array([[0.9, 0.1], [0.75, 0.25], [0.5, 0.5]])
    decision = minimum_risk(P, zero_one_loss(2), reject_cost=0.25)
    assert decision.chosen.tolist() == [0, 0, REJECTED]
    np.testing.assert_allclose(decision.risk, [0.1, 0.25, 0.5])


@pytest.mark.parametrize("coverage", [0.01, 0.1, 0.5, 0.9, 0.99])
def test_the_threshold_keeps_the_share_asked_for_and_not_a_row_more(coverage):
    risk = np.random.default_rng(0).permutation(100) / 7
    assert (risk <= coverage_threshold(risk, coverage)).sum() == round(100 * coverage)


def test_full_coverage_rejects_no_row_however_risky():
    assert coverage_threshold([0.1, 0.2], 1.0) == np.inf


def test_a_weight_of_two_in_the_coverage_is_a_row_seen_twice():
    rng = np.random.default_rng(0)
    risk, weights = rng.random(30), rng.integers(0, 4, size=30)
    for coverage in (0.1, 0.33, 0.8, 1.0):
        assert coverage_threshold(risk, coverage, weights) == coverage_threshold(
            np.repeat(risk, weights), coverage
        )


def test_realised_costs_are_looked_up_by_truth_and_decision():
    costs = np.arange(9.0).reshape(3, 3)
    truth, chosen = np.array([0, 2, 1]), np.array([1, REJECTED, 0])
    assert realised_cost(truth, chosen, costs, 0.5).tolist() == [1.0, 0.5, 3.0]
    rowwise = np.stack([costs, costs + 10, costs + 20])
    assert realised_cost(truth, chosen, rowwise, 0.5).tolist() == [1.0, 0.5, 23.0]
    assert np.isnan(realised_cost(truth, chosen, costs)[1])
