"""Maximum contrast against scipy.optimize.linprog on programmes written out by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog

from kernelproba.estimators.maximum_contrast import MaximumContrastClassifier


def blobs(n_classes, n=24, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    return rng.normal(size=(n, 2)) + 1.2 * np.column_stack([y, y**2 / 2]), y


def gaussian(X, h):
    return np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * h**2))


def solve_binary(K, y, priors, alpha, active):
    """max Σ aᵢξᵢ/n − α Ω over (β, ξ, t₀, t₁, s) with ξᵢ ≤ yᵢ(P₁q₁ − P₀q₀)(xᵢ), labels ±1."""
    n, sign = len(y), 2 * y - 1
    counts = np.bincount(y)
    cost = np.r_[np.zeros(n), -active / n, alpha, alpha, alpha * (1 / counts).sum()]
    margin = np.c_[-(sign[:, None] * K * (sign * priors[y])), np.eye(n), np.zeros((n, 3))]
    limit = np.c_[np.eye(n), np.zeros((n, n)), y - 1, -y, np.zeros(n)]
    mass = np.c_[[y == 0, y == 1], np.zeros((2, n + 2)), [-1, -1]]
    bounds = [(0, None)] * n + [(None, 1)] * n + [(0, None)] * 2 + [(1, None)]
    return linprog(cost, np.r_[margin, limit], np.zeros(2 * n), mass, np.zeros(2), bounds)


def solve_multiclass(K, y, priors, alpha, active):
    """The same with ξᵢ ≤ P_y q_y(xᵢ) − P_k q_k(xᵢ) for every k ≠ yᵢ."""
    n, c = len(y), len(priors)
    counts = np.bincount(y)
    cost = np.r_[np.zeros(n), -active / n, np.full(c, alpha), alpha * (1 / counts).sum()]
    rows = []
    for i in range(n):
        for k in set(range(c)) - {y[i]}:
            row = np.zeros(2 * n + c + 1)
            row[:n] = -priors[y] * K[i] * ((y == y[i]) * 1.0 - (y == k))
            row[n + i] = 1
            rows.append(row)
    for i in range(n):
        row = np.zeros(2 * n + c + 1)
        row[i], row[2 * n + y[i]] = 1, -1
        rows.append(row)
    mass = np.zeros((c, 2 * n + c + 1))
    for j in range(c):
        mass[j, :n], mass[j, -1] = y == j, -1
    bounds = [(0, None)] * n + [(None, 1)] * n + [(0, None)] * c + [(1, None)]
    return linprog(cost, np.array(rows), np.zeros(len(rows)), mass, np.zeros(c), bounds)


def sequence(K, y, priors, alpha, solve):
    """SLPM with linprog: history of the penalised contrast, β, and the active rows."""
    n, c = len(y), len(priors)
    counts, active, history = np.bincount(y), np.ones(n), []
    while True:
        beta = solve(K, y, priors, alpha, active).x[:n]
        F = np.column_stack([priors[j] * K[:, y == j] @ beta[y == j] for j in range(c)])
        own = F[np.arange(n), y]
        F[np.arange(n), y] = -np.inf
        d = own - F.max(axis=1)
        omega = sum(beta[y == j].sum() / counts[j] + beta[y == j].max() for j in range(c))
        history.append(np.clip(d, -1, 1).mean() - alpha * omega)
        if np.array_equal(d > -1, active > 0) or len(history) > 20:
            return np.array(history), beta, active > 0
        active = (d > -1) * 1.0


@pytest.mark.parametrize("solver", ["restricted", "dense"])
@pytest.mark.parametrize("alpha", [0.003, 0.03, 0.3, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_binary_fits_are_those_of_linprog(alpha, solver, seed):
    X, y = blobs(2, seed=seed)
    priors = np.array([0.4, 0.6])
    model = MaximumContrastClassifier(alpha, gamma=0.5, priors=priors, solver=solver).fit(X, y)
    history, beta, active = sequence(gaussian(X, 1.0), y, priors, alpha, solve_binary)
    assert_allclose(model.contrast_path_, history, atol=1e-9)
    assert_array_equal(model.deactivated_, np.flatnonzero(~active))
    ours = np.zeros(len(y))
    ours[model.support_] = model.dual_coef_.sum(axis=0)
    assert_allclose(ours, beta, atol=1e-6 * max(1, beta.max()))


@pytest.mark.parametrize("solver", ["restricted", "dense"])
@pytest.mark.parametrize("alpha", [0.003, 0.03, 0.3, 3.0])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_multiclass_fits_are_those_of_linprog(alpha, solver, n_classes):
    X, y = blobs(n_classes, seed=5)
    priors = np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()
    model = MaximumContrastClassifier(alpha, gamma=0.5, priors=priors, solver=solver).fit(X, y)
    history, _, active = sequence(gaussian(X, 1.0), y, priors, alpha, solve_multiclass)
    assert_allclose(model.contrast_path_, history, atol=1e-9)
    assert_array_equal(model.deactivated_, np.flatnonzero(~active))
    assert abs(model.duality_gap_) < 1e-9
