"""Penalties: proximal maps, optimality and curvature of those with a kink, digits of the quadratic one."""

import numpy as np
import pytest

from kernelproba.penalties import FunctionNorm, GroupLasso, Lasso

PENALTIES = [Lasso(), GroupLasso()]


@pytest.fixture
def W():
    W = np.random.default_rng(0).standard_normal((6, 3))
    W[[1, 4]] = 0.0
    return W


@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_proximal_map_minimises_its_definition(penalty, W):
    step = 0.4
    best = penalty.prox(W, step)

    def value(V):
        return penalty.value(V) + ((V - W) ** 2).sum() / (2 * step)

    rng = np.random.default_rng(1)
    for size in (1e-1, 1e-3):
        assert all(value(best) <= value(best + size * rng.standard_normal(W.shape)) for _ in range(50))


@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_shortest_subgradient_vanishes_at_the_proximal_map(penalty, W):
    step = 0.4
    best = penalty.prox(W, step)
    np.testing.assert_allclose(penalty.subgradient(best, (best - W) / step), 0.0, atol=1e-12)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_zero_is_optimal_exactly_while_the_dual_norm_is_at_most_one(penalty):
    D = np.random.default_rng(2).standard_normal((50, 3))
    slope = penalty.subgradient(np.zeros_like(D), D)
    np.testing.assert_array_equal(slope.any(axis=1), penalty.dual_norm(D) > 1)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_curvature_on_the_support_is_the_derivative_of_the_gradient(penalty, W):
    V = np.random.default_rng(3).standard_normal(W.shape) * penalty.support(W)
    zero, h = np.zeros_like(W), 1e-6
    difference = (penalty.subgradient(W + h * V, zero) - penalty.subgradient(W - h * V, zero)) / (2 * h)
    np.testing.assert_allclose(penalty.curvature_product(W, V), difference, atol=1e-7)
    assert (penalty.curvature_bound(W)[:, None] * V**2).sum() >= np.vdot(
        V, penalty.curvature_product(W, V)
    ) - 1e-12


@pytest.mark.parametrize("penalty", PENALTIES)
def test_an_entry_that_passes_its_kink_stops_there(penalty, W):
    np.testing.assert_array_equal(penalty.clip_at_kink(W, -W), 0.0)
    np.testing.assert_array_equal(penalty.clip_at_kink(W, 0.5 * W), 0.5 * W)


def test_the_norm_of_a_function_keeps_its_digits_where_large_coefficients_cancel():
    z = np.linspace(0, 1, 12)[:, None]
    K = np.exp(-0.5 * (z - z.T) ** 2) + 1e-13 * np.eye(12)
    W = np.linalg.solve(np.linalg.cholesky(K).T, np.ones((12, 1)))
    assert np.abs(W).max() > 1e5
    norm, twice = FunctionNorm(K), W * (1 + 1e-9)
    # The rise along W itself is known: a value moves by (t + t²/2) wᵀKw from w to (1 + t) w.
    rise, slope = norm.value(twice) - norm.value(W), float(np.vdot(norm.gradient(W), twice - W))
    # What rounding may do to sums over 12 terms of LᵀW, in whatever order a BLAS takes them.
    L = np.linalg.cholesky(K)
    rounding = 12 * np.finfo(float).eps * float(np.vdot(np.abs(L.T @ W), np.abs(L).T @ np.abs(W)))
    assert rounding < 1e-7
    assert rise == pytest.approx(slope, abs=rounding)
    naive = 0.5 * (np.vdot(twice, K @ twice) - np.vdot(W, K @ W))
    assert abs(naive - slope) > 1e-7
