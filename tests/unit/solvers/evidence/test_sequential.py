"""Laplace's evidence, its gradient, and its sequential maximisation."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import log_expit
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba.solvers.evidence.laplace import laplace
from kernelproba.solvers.evidence.sequential import maximise_evidence


def problem(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    sign = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)
    return rbf_kernel(X, gamma=0.7), sign, rng.uniform(0.5, 2.0, n)


def test_the_gradient_of_the_evidence_is_that_of_finite_differences():
    K, sign, weight = problem()
    Phi, log_a = K[:, [0, 3, 7, 20]], np.array([-1.0, 0.5, 2.0, -3.0])

    def evidence(log_a):
        return laplace(Phi, sign, weight, np.exp(log_a), np.zeros(4)).evidence

    gradient = laplace(Phi, sign, weight, np.exp(log_a), np.zeros(4)).gradient(Phi, np.exp(log_a))
    np.testing.assert_allclose(gradient, approx_fprime(log_a, evidence, 1e-5), atol=2e-5)


def test_with_one_weight_the_evidence_approximates_the_integral():
    K, sign, weight = problem()
    phi, a = K[:, [0]], 0.5
    w = np.linspace(-30, 30, 20_001)
    log_joint = (
        weight @ log_expit(sign[:, None] * phi * w)
        - 0.5 * a * w**2
        + 0.5 * np.log(a)
        - 0.5 * np.log(2 * np.pi)
    )
    integral = np.log(np.trapezoid(np.exp(log_joint - log_joint.max()), w)) + log_joint.max()
    assert laplace(phi, sign, weight, np.array([a]), np.zeros(1)).evidence == pytest.approx(
        integral, abs=0.02
    )


def test_the_mode_satisfies_its_score_equations():
    K, sign, weight = problem()
    Phi, a = K[:, :6], np.full(6, 0.1)
    post = laplace(Phi, sign, weight, a, np.zeros(6))
    np.testing.assert_allclose(Phi.T @ post.gap, a * post.mean, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_at_the_maximum_no_feature_wants_in_out_or_elsewhere(seed):
    K, sign, weight = problem(seed=seed)
    found = maximise_evidence(K, sign, weight, tol=1e-4, max_iter=500)
    assert found.converged
    best, mean = found.posterior.evidence, found.posterior.mean
    gradient = found.posterior.gradient(K[:, found.active], found.precision)
    assert np.abs(gradient).max() < 0.05
    for i in range(len(found.active)):
        keep = np.arange(len(found.active)) != i
        if keep.any():
            less = laplace(K[:, found.active[keep]], sign, weight, found.precision[keep], mean[keep])
            assert less.evidence < best + 1e-3
    for j in np.setdiff1d(np.arange(len(sign)), found.active)[::5]:
        for a in (0.1, 1.0, 10.0):
            columns, precision = np.append(found.active, j), np.append(found.precision, a)
            more = laplace(K[:, columns], sign, weight, precision, np.append(mean, 0.0))
            assert more.evidence < best + 1e-2


def test_the_evidence_of_twice_the_rows_is_that_of_twice_the_weight():
    K, sign, weight = problem()
    Phi, a = K[:, :3], np.ones(3)
    once = laplace(Phi, sign, 2 * weight, a, np.zeros(3))
    twice = laplace(np.tile(Phi, (2, 1)), np.tile(sign, 2), np.tile(weight, 2), a, np.zeros(3))
    assert once.evidence == pytest.approx(twice.evidence, rel=1e-10)


def test_features_that_all_vanish_leave_a_finite_model():
    sign = np.array([1.0, -1.0, 1.0])
    solution = maximise_evidence(np.zeros((3, 2)), sign, np.ones(3), tol=1e-3, max_iter=10)
    assert np.isfinite(solution.posterior.evidence)
    assert np.isfinite(solution.precision).all()


@pytest.mark.parametrize("unit", [1e-90, 1e90])
def test_units_of_the_features_change_nothing_but_the_weights(unit):
    K, sign, weight = problem()
    plain, scaled = (maximise_evidence(u * K, sign, weight, tol=1e-6, max_iter=200) for u in (1.0, unit))
    np.testing.assert_array_equal(scaled.active, plain.active)
    np.testing.assert_allclose(scaled.posterior.mean * unit, plain.posterior.mean, rtol=1e-3)
    assert scaled.posterior.evidence == pytest.approx(plain.posterior.evidence, rel=1e-8)


def test_features_whose_weights_would_have_no_finite_variance_are_as_if_zero():
    Phi = np.column_stack([np.ones(4), np.array([1e-200, 3e-200, 1e-190, 2e-180])])
    with np.errstate(all="raise", under="ignore"):
        found = maximise_evidence(Phi, np.array([1.0, -1.0, 1.0, 1.0]), np.ones(4), tol=1e-6, max_iter=100)
    assert 1 not in found.active
    assert np.isfinite(found.posterior.covariance).all()
