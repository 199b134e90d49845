"""Small quadratics with kinks, judged by their optimality conditions."""

import numpy as np
import pytest

from kernelproba.penalties import GroupLasso, Lasso
from kernelproba.solvers.sparse.group_quadratic import group_quadratic
from kernelproba.solvers.sparse.lasso_quadratic import lasso_quadratic


def ill_conditioned(p, decay, seed=0):
    basis, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((p, p)))
    return (basis * decay ** np.arange(p)) @ basis.T


@pytest.mark.parametrize("seed", range(5))
def test_the_active_set_solves_ill_conditioned_lassos(seed):
    rng = np.random.default_rng(seed)
    p = 30
    Q = 100 * ill_conditioned(p, 0.6, seed)  # condition number 10⁶
    c, strength = 5 * rng.standard_normal(p), np.ones(p)
    strength[-1] = 0.0
    x = lasso_quadratic(Q, c, strength, rng.standard_normal(p), tol=1e-10)
    D = Q @ x + c
    assert abs(D[-1]) < 1e-7
    assert np.abs(Lasso().subgradient(x[:-1, None], D[:-1, None])).max() < 1e-7


def test_block_descent_solves_a_group_lasso_with_a_free_row():
    rng = np.random.default_rng(0)
    Q, c, strength = 4 * ill_conditioned(12, 0.8), 2 * rng.standard_normal((12, 3)), np.ones(12)
    strength[-1] = 0.0
    X = group_quadratic(Q, c, strength, np.zeros((12, 3)), tol=1e-12, max_iter=2000)
    D = Q @ X + c
    assert np.abs(D[-1]).max() < 1e-8
    assert np.abs(GroupLasso().subgradient(X[:-1], D[:-1])).max() < 1e-8


def test_jumps_solve_a_group_lasso_of_all_but_parallel_features():
    """Sweeps alone take thousands of rounds here."""
    rng = np.random.default_rng(1)
    Q, c, strength = 100 * ill_conditioned(30, 0.7), 5 * rng.standard_normal((30, 3)), np.ones(30)
    X = group_quadratic(Q, c, strength, np.zeros((30, 3)), tol=1e-4, max_iter=100)
    assert GroupLasso().dual_norm(GroupLasso().subgradient(X, Q @ X + c)).max() < 1e-3


def test_an_active_set_that_begins_at_the_minimum_ends_there():
    """The way is nothing but rounding then, and no reason to go it again and again."""
    Q = 100 * ill_conditioned(10, 0.3)
    c, strength = Q @ np.ones(10), np.zeros(10)
    x = lasso_quadratic(Q, c, strength, -np.ones(10), tol=1e-8, max_iter=2)
    np.testing.assert_allclose(Q @ x, -c, atol=1e-10)
