"""Laplace's posterior against the dense formulas of Rasmussen & Williams, written out independently."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba.basis.features import CenterFeatures
from kernelproba.kernels import RBF
from kernelproba.solvers.posterior.laplace import laplace_posterior, orthonormal_contrasts

GAMMA = 0.4


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 2)), 2 * rng.normal(size=(25, 2)), rng.uniform(0.2, 2.0, 40)


def features(X):
    return CenterFeatures.among(RBF((2 * GAMMA) ** -0.5), X, 40)


def covariance(posterior, Phi, rest):
    """Of rows with features Phi, of which these leave `rest`."""
    return posterior.score_covariance(Phi @ posterior.directions, rest + (Phi**2).sum(axis=1))


def binary_variance(K, k, diagonal, F, weight, C):
    """Algorithm 3.2, with covariance C·k and weighted likelihoods: V[f*] = k** − vᵀv, v = L⁻¹ √W k*."""
    K, k, diagonal = C * K, C * k, C * diagonal
    root = np.sqrt(weight * expit(F) * expit(-F))
    L = np.linalg.cholesky(np.eye(len(F)) + root[:, None] * K * root)
    v = np.linalg.solve(L, root[:, None] * k.T)
    return diagonal - (v**2).sum(axis=0)


def softmax_covariance(K, k, diagonal, F, weight, C):
    """(3.41) and (3.44) without any trick: the whole (nc, nc) system, W = diag(s) (diag(π) − ΠΠᵀ)."""
    n, c = F.shape
    P = softmax(F, axis=1)
    big_K = np.kron(np.eye(c), C * K)
    W = np.zeros((n * c, n * c))
    for i in range(n):
        at = i + n * np.arange(c)
        W[np.ix_(at, at)] = weight[i] * (np.diag(P[i]) - np.outer(P[i], P[i]))
    inner = np.linalg.solve(np.eye(n * c) + W @ big_K, W)  # (K + W⁻¹)⁻¹, W singular
    out = np.empty((len(k), c, c))
    for j, row in enumerate(C * k):
        q = np.kron(np.eye(c), row[:, None])
        out[j] = C * diagonal[j] * np.eye(c) - q.T @ inner @ q
    return out


@pytest.mark.parametrize("C", [0.5, 30.0])
def test_one_score_has_the_variance_of_gpml(rows, C):
    X, X_new, weight = rows
    F = np.random.default_rng(1).normal(size=(40, 1))
    span = features(X)
    posterior = laplace_posterior(*span(X), F, weight, C=C, fit_intercept=False, least_information=0.0)
    got = covariance(posterior, *span(X_new))[:, 0, 0]
    K, k = rbf_kernel(X, X, GAMMA), rbf_kernel(X_new, X, GAMMA)
    np.testing.assert_allclose(got, binary_variance(K, k, np.ones(25), F[:, 0], weight, C), rtol=1e-5)


@pytest.mark.parametrize("c", [3, 4])
def test_differences_of_softmax_scores_have_the_covariance_of_gpml(rows, c):
    X, X_new, weight = rows
    F = 2 * np.random.default_rng(2).normal(size=(40, c))
    span = features(X)
    posterior = laplace_posterior(*span(X), F, weight, C=5.0, fit_intercept=False, least_information=0.0)
    K, k, Q = rbf_kernel(X, X, GAMMA), rbf_kernel(X_new, X, GAMMA), orthonormal_contrasts(c)
    expected = Q.T @ softmax_covariance(K, k, np.ones(25), F, weight, 5.0) @ Q
    np.testing.assert_allclose(covariance(posterior, *span(X_new)), expected, rtol=1e-5, atol=1e-5)


def test_a_free_intercept_is_a_constant_of_large_variance_in_the_kernel(rows):
    X, X_new, weight = rows
    F = np.random.default_rng(3).normal(size=(40, 3))
    span = features(X)
    posterior = laplace_posterior(*span(X), F, weight, C=5.0, fit_intercept=True, least_information=0.0)
    K, k = rbf_kernel(X, X, GAMMA) + 1e4, rbf_kernel(X_new, X, GAMMA) + 1e4
    Q = orthonormal_contrasts(3)
    expected = Q.T @ softmax_covariance(K, k, np.ones(25) + 1e4, F, weight, 5.0) @ Q
    np.testing.assert_allclose(covariance(posterior, *span(X_new)), expected, rtol=1e-3, atol=1e-3)


def test_leaving_out_uninformed_directions_widens_variances_by_a_percent_at_most(rows):
    X, X_new, weight = rows
    F = np.random.default_rng(4).normal(size=(40, 3))
    span = features(X)
    exact, fewer = (
        laplace_posterior(*span(X), F, weight, C=5.0, fit_intercept=True, least_information=least)
        for least in (0.0, 0.01)
    )
    assert fewer.directions.shape[1] < exact.directions.shape[1]
    S, T = (np.diagonal(covariance(p, *span(X_new)), axis1=1, axis2=2) for p in (exact, fewer))
    assert (abs(T / S - 1) < 0.011).all()


def test_directions_of_one_score_are_not_coupled(rows):
    X, X_new, weight = rows
    F = np.random.default_rng(7).normal(size=(40, 1))
    span = features(X)
    whole, none = (
        laplace_posterior(*span(X), F, weight, C=5.0, fit_intercept=False, most_coefficients=most)
        for most in (1000, 0)
    )
    assert len(whole.own) == 0 < len(none.own)
    S, T = (covariance(p, *span(X_new)) for p in (whole, none))
    np.testing.assert_allclose(S, T, rtol=1e-8)


def test_the_least_informed_directions_may_be_taken_each_by_itself(rows):
    X, X_new, weight = rows
    F = 2 * np.random.default_rng(8).normal(size=(40, 4))
    span = features(X)
    whole, part = (
        laplace_posterior(*span(X), F, weight, C=5.0, fit_intercept=True, most_coefficients=most)
        for most in (1000, 45)
    )
    assert whole.directions.shape == part.directions.shape
    assert len(part.own) == part.directions.shape[1] - 15 > 0
    S, T = (covariance(p, *span(X_new)) for p in (whole, part))
    np.testing.assert_allclose(np.trace(T, axis1=1, axis2=2), np.trace(S, axis1=1, axis2=2), rtol=0.05)


def test_rows_with_something_of_their_own_inform_less(rows):
    # K = ΦΦᵀ + Λ: the dense formula with the diagonal on the known rows only
    X, X_new, weight = rows
    F = np.random.default_rng(5).normal(size=(40, 1))
    few = CenterFeatures.among(features(X).kernel, X, 6)
    (Phi, rest), (Phi_new, rest_new) = few(X), few(X_new)
    assert rest.max() > 0.1
    posterior = laplace_posterior(Phi, rest, F, weight, C=5.0, fit_intercept=False, least_information=0.0)
    expected = binary_variance(
        Phi @ Phi.T + np.diag(rest), Phi_new @ Phi.T, np.ones(25), F[:, 0], weight, 5.0
    )
    np.testing.assert_allclose(covariance(posterior, Phi_new, rest_new)[:, 0, 0], expected, rtol=1e-6)


def test_far_from_all_rows_the_posterior_is_the_prior(rows):
    X, _, weight = rows
    F = np.random.default_rng(6).normal(size=(40, 3))
    span = features(X)
    posterior = laplace_posterior(*span(X), F, weight, C=7.0, fit_intercept=False)
    far = covariance(posterior, *span(np.full((1, 2), 50.0)))[0]
    np.testing.assert_allclose(far, 7.0 * np.eye(2), rtol=1e-6)
