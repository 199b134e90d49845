"""Intervals and averages against the binary Laplace approximation of GPML, algorithms 3.1 and 3.2.

[Rasmussen & Williams 2006, Gaussian processes for machine learning], written out here.  Nothing of the
package is used but the classifier that is tested: labels are ±1 as in the book, the mode is found by its
Newton iteration, integrals by quadrature, and the shortest interval by bounded minimisation.  Classes
overlap: where they can be separated, the variance is deliberately less (`solvers.posterior.spread`).
"""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import expit
from scipy.stats import norm
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from kernelproba import KernelLogisticRegression
from kernelproba.datasets import chessboard_problem, two_gaussians_problem


def mode(K, y):
    """Return ∇log p(y|f̂) and √W at the mode f̂, algorithm 3.1."""
    f = np.zeros(len(y))
    for _ in range(100):
        pi = expit(f)
        W = pi * (1 - pi)
        root = np.sqrt(W)
        L = np.linalg.cholesky(np.eye(len(y)) + root[:, None] * K * root)
        b = W * f + (y + 1) / 2 - pi
        a = b - root * np.linalg.solve(L.T, np.linalg.solve(L, root * (K @ b)))
        f, last = K @ a, f
        if abs(f - last).max() < 1e-12:
            break
    pi = expit(f)
    return (y + 1) / 2 - pi, np.sqrt(pi * (1 - pi))


def latent(K, k, prior, y):
    """Return mean and variance of the latent function at new rows, algorithm 3.2, lines 4 to 6."""
    gradient, root = mode(K, y)
    L = np.linalg.cholesky(np.eye(len(y)) + root[:, None] * K * root)
    v = np.linalg.solve(L, root[:, None] * k.T)
    return k @ gradient, prior - (v**2).sum(axis=0)


def shortest(mean, deviation, share):
    """Return the shortest interval of σ(f) that holds a share of N(mean, deviation²)."""

    def ends(below):
        return expit(mean + deviation * norm.ppf([below, below + share]))

    found = minimize_scalar(
        lambda below: np.diff(ends(below))[0],
        bounds=(0, 1 - share),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return ends(found.x)


@pytest.mark.parametrize(
    ("problem", "name", "kernel", "C", "gamma"),
    [
        (two_gaussians_problem(1.0), "rbf", rbf_kernel, 0.7, 0.3),
        (chessboard_problem(), "rbf", rbf_kernel, 1.5, 1.0),
        (chessboard_problem(), "laplacian", laplacian_kernel, 1.0, 0.5),
    ],
    ids=["two Gaussians", "chessboard", "Laplacian"],
)
def test_intervals_and_averages_are_those_of_gpml(problem, name, kernel, C, gamma):
    X, y = problem.sample(80, 0)
    X_new = problem.sample(25, 1)[0]
    model = KernelLogisticRegression(C, kernel=name, gamma=gamma, fit_intercept=False, tol=1e-10).fit(X, y)
    mean, variance = latent(C * kernel(X, X, gamma), C * kernel(X_new, X, gamma), C, 2 * y - 1)
    np.testing.assert_allclose(model.predict_proba(X_new)[:, 1], expit(mean), atol=1e-6)
    intervals = model.predict_proba_interval(X_new, 0.9)[:, 1]
    averages = model.predict_proba(X_new, moderated=True)
    for i, (m, s) in enumerate(zip(mean, np.sqrt(variance), strict=True)):
        ends = shortest(m, s, 0.9)
        # The width is that of the shortest; where its ends lie hardly matters to it.
        assert np.diff(intervals[i])[0] == pytest.approx(np.diff(ends)[0], abs=3e-3)
        np.testing.assert_allclose(intervals[i], ends, atol=0.02)
        held = np.diff(norm.cdf(np.log(intervals[i] / (1 - intervals[i])), m, s))[0]
        assert held == pytest.approx(0.9, abs=5e-3)
        # (3.25)
        average = quad(lambda f, m=m, s=s: expit(f) * norm.pdf(f, m, s), m - 9 * s, m + 9 * s)[0]
        assert averages[i, 1] == pytest.approx(average, abs=2e-3)
