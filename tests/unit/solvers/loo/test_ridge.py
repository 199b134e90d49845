"""Closed-form leave-one-out against refits, one row at a time."""

import numpy as np
import pytest

from kernelproba.solvers.least_squares.normal_equations import NormalEquations
from kernelproba.solvers.loo.ridge import LeaveOneOut, LeftOutRows

ALPHAS = [1e-3, 1e-1]


def problem(weights, width=1.0, n=40, b=12, k=3):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2))
    squares = np.square(X[:, None] - X[:b]).sum(axis=-1)
    weight = {"equal": np.ones(n), "few": rng.integers(1, 4, n).astype(float), "many": rng.random(n)}[weights]
    return np.exp(-squares / (2 * width**2)), np.eye(k)[rng.integers(0, k, n)], weight


def equations_of(Phi, Y, weight):
    root = np.sqrt(weight)[:, None]
    equations = NormalEquations.empty(Phi.shape[1], Y.shape[1])
    equations.add(root * Phi, root * Y)
    return equations


def refit(Phi, Y, weight, alpha, i, columns):
    """Score of row i by a ridge regression on the other rows and the given columns."""
    rest = np.arange(len(Phi)) != i
    F, s = Phi[rest][:, columns], weight[rest] / weight[rest].sum()
    A = np.linalg.solve(F.T @ (s[:, None] * F) + alpha * np.eye(len(columns)), F.T @ (s[:, None] * Y[rest]))
    return Phi[i, columns] @ A


def leave_one_out(equations, rows, alphas, total, solver="cholesky"):
    """Exact scores for every penalty."""
    return np.stack([LeaveOneOut(equations, alpha, total, solver).scores(rows) for alpha in alphas])


@pytest.mark.parametrize("solver", ["cholesky", "eigh"])
@pytest.mark.parametrize("weights", ["equal", "few", "many"])
def test_scores_with_fixed_centres_are_those_of_refits(weights, solver):
    Phi, Y, weight = problem(weights)
    rows = LeftOutRows(Phi, Y, weight, np.full(len(Phi), -1))
    Q = leave_one_out(equations_of(Phi, Y, weight), rows, ALPHAS, weight.sum(), solver=solver)
    for alpha, q in zip(ALPHAS, Q, strict=True):
        brute = [refit(Phi, Y, weight, alpha, i, np.arange(12)) for i in range(len(Phi))]
        np.testing.assert_allclose(q, brute, atol=1e-10)


@pytest.mark.parametrize("solver", ["cholesky", "eigh"])
@pytest.mark.parametrize("weights", ["equal", "few", "many"])
def test_a_row_that_is_a_centre_is_left_out_as_a_centre_too(weights, solver):
    Phi, Y, weight = problem(weights)
    center = np.where(np.arange(len(Phi)) < 12, np.arange(len(Phi)), -1)
    rows = LeftOutRows(Phi, Y, weight, center)
    Q = leave_one_out(equations_of(Phi, Y, weight), rows, ALPHAS, weight.sum(), solver=solver)
    for alpha, q in zip(ALPHAS, Q, strict=True):
        brute = [refit(Phi, Y, weight, alpha, i, np.flatnonzero(np.arange(12) != i)) for i in range(len(Phi))]
        np.testing.assert_allclose(q, brute, atol=1e-10)


def test_faint_scores_keep_their_digits():
    """With a narrow kernel the score without the own basis function is many orders below one."""
    Phi, Y, weight = problem("equal", width=0.1)
    center = np.where(np.arange(len(Phi)) < 12, np.arange(len(Phi)), -1)
    rows = LeftOutRows(Phi, Y, weight, center)
    q = leave_one_out(equations_of(Phi, Y, weight), rows, [1e-2], weight.sum())[0]
    brute = np.array(
        [refit(Phi, Y, weight, 1e-2, i, np.flatnonzero(np.arange(12) != i)) for i in range(len(Phi))]
    )
    faint = (np.abs(brute) < 1e-8) & (np.abs(brute) > 1e-200)
    assert faint[:12].any()
    np.testing.assert_allclose(q[faint], brute[faint], rtol=0.1)  # of numbers down to 1e-200


def test_some_of_the_rows_score_as_all_of_them_do():
    Phi, Y, weight = problem("few")
    rows = LeftOutRows(Phi, Y, weight, np.full(len(Phi), -1))
    equations = equations_of(Phi, Y, weight)
    whole = leave_one_out(equations, rows, ALPHAS, weight.sum())
    some = np.array([3, 17, 30])
    np.testing.assert_allclose(
        leave_one_out(equations, rows.at(some), ALPHAS, weight.sum()), whole[:, some], atol=1e-12
    )


@pytest.mark.parametrize("size", [1, 3, 20])
@pytest.mark.parametrize("weights", ["equal", "few", "many"])
def test_rows_in_blocks_score_as_all_of_them_at_once(weights, size):
    Phi, Y, weight = problem(weights)
    rows = LeftOutRows(Phi, Y, weight, np.where(np.arange(40) < 12, np.arange(40), -1))
    equations = equations_of(Phi, Y, weight)
    models = LeaveOneOut(equations, 1e-2, weight.sum())
    parts = np.split(np.arange(40), range(size, 40, size))
    Q = np.concatenate([models.scores(rows.at(part)) for part in parts])
    np.testing.assert_allclose(Q, leave_one_out(equations, rows, [1e-2], weight.sum())[0], atol=1e-11)
