"""Coupling against SciPy's general minimisers, and against the coupling inside LIBSVM."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, rel_entr
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from kernelproba.coupling import couple


def random_pairs(n, c, seed):
    i, j = np.triu_indices(c, 1)
    R = np.full((n, c, c), 0.5)
    R[:, i, j] = np.random.default_rng(seed).random((n, len(i)))
    R[:, j, i] = 1 - R[:, i, j]
    return R


def divergence(theta, R, weights):
    """Equation (10), from its definition."""
    log_p = log_softmax(theta)
    mu = expit(log_p[:, None] - log_p)
    return (weights * np.triu(rel_entr(R, mu) + rel_entr(1 - R, 1 - mu), 1)).sum()


@pytest.mark.parametrize("c", [3, 5, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_hastie_tibshirani_agrees_with_a_general_minimiser_of_the_divergence(c, weighted):
    counts = np.random.default_rng(c).uniform(1, 20, c) if weighted else np.full(c, 0.5)
    weights = counts[:, None] + counts
    R = random_pairs(8, c, seed=c)
    P = couple(R, "hastie-tibshirani", weights)
    for r, p in zip(R, P, strict=True):
        found = minimize(divergence, np.zeros(c), (r, weights), method="BFGS", options={"gtol": 1e-6})
        np.testing.assert_allclose(p, np.exp(log_softmax(found.x)), atol=1e-5)
        assert divergence(np.log(p), r, weights) <= found.fun + 1e-12


@pytest.mark.parametrize("c", [3, 5, 9])
def test_wu_lin_weng_agrees_with_a_general_minimiser_on_the_simplex(c):
    R = random_pairs(8, c, seed=c)
    simplex = {"type": "eq", "fun": lambda p: p.sum() - 1}
    for r, p in zip(R, couple(R, "wu-lin-weng"), strict=True):

        def squares(q, r=r):
            return ((r.T * q[:, None] - r * q) ** 2).sum()

        found = minimize(
            squares, np.full(c, 1 / c), method="SLSQP", bounds=[(0, 1)] * c, constraints=simplex, tol=1e-14
        )
        np.testing.assert_allclose(p, found.x, atol=1e-5)
        assert squares(p) <= found.fun + 1e-12


@pytest.mark.filterwarnings("ignore:.*probability.*:FutureWarning")
def test_wu_lin_weng_agrees_with_the_coupling_of_libsvm():
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    svc = SVC(probability=True, decision_function_shape="ovo", random_state=0).fit(X[::2], y[::2])
    # LIBSVM's own pairwise probabilities: Platt's sigmoid of each pair's decision value.
    r = expit(-(svc.decision_function(X) * svc.probA_ + svc.probB_))
    # LIBSVM stops its iteration at a residual of 0.005/c and clips r to [1e-7, 1 − 1e-7].
    np.testing.assert_allclose(couple(r), svc.predict_proba(X), atol=5e-3)
