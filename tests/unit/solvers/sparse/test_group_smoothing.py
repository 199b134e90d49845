"""The group lasso by Newton steps on a smoothed penalty."""

from itertools import pairwise

import numpy as np
import pytest

from kernelproba.basis.columns import KernelColumns
from kernelproba.kernels import RBF
from kernelproba.losses import Softmax
from kernelproba.penalties import GroupLasso
from kernelproba.solvers.sparse import group_smoothing, working_set
from kernelproba.solvers.sparse.group_smoothing import SmoothedGroups, smoothed_newton
from kernelproba.solvers.sparse.objective import SparseObjective
from kernelproba.solvers.sparse.proximal_newton import proximal_newton


def objective(C, n=60, width=1.0):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = rng.standard_normal((n, 2)) + 1.5 * np.column_stack([y == 0, y == 1])
    return SparseObjective(KernelColumns(RBF(width), X), y, np.full(n, C), Softmax(), GroupLasso(), 3)


def test_without_smoothing_the_curvature_is_that_of_the_norms():
    rng = np.random.default_rng(0)
    W, V = rng.standard_normal((2, 5, 3))
    smoothed = SmoothedGroups.at(W, 0.0)
    np.testing.assert_allclose(smoothed.curvature_product(W, V), GroupLasso().curvature_product(W, V))


def test_the_curvature_is_the_derivative_of_the_slope_once_the_dual_belongs_to_the_weights():
    rng = np.random.default_rng(0)
    W, V = rng.standard_normal((2, 5, 3))
    smoothed, h = SmoothedGroups.at(W, 0.7), 1e-6
    slopes = [(W + t * V) / smoothed.sizes(W + t * V) for t in (h, -h)]
    expected = (slopes[0] - slopes[1]) / (2 * h)
    np.testing.assert_allclose(smoothed.curvature_product(W, V), expected, atol=1e-8)


@pytest.mark.parametrize("dense", [True, False])
def test_smoothed_and_proximal_steps_have_the_same_minimum(dense, monkeypatch):
    monkeypatch.setattr(group_smoothing, "DENSE_SIZE", 2500 if dense else 0)
    whole = objective(1.0)
    restricted = whole.restrict(np.arange(60))
    smoothed, proximal = (
        solve(restricted, whole.null_model(), tol=1e-5, max_iter=500)
        for solve in (smoothed_newton, proximal_newton)
    )
    assert smoothed.converged
    assert smoothed.value == pytest.approx(proximal.value, rel=1e-7)
    np.testing.assert_array_equal(smoothed.coef.any(axis=1), proximal.coef.any(axis=1))


@pytest.mark.parametrize("C", [30.0, 300.0])
def test_weak_penalties_converge(C):
    whole = objective(C, width=3.0)
    found = working_set(whole, whole.null_model(), tol=1e-3, max_iter=1000)
    assert found.converged
    assert found.n_iter < 300


def noise(C, n, n_classes, n_features):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, n_features)), rng.integers(0, n_classes, n)
    columns, weights = KernelColumns(RBF(1.0), X), np.full(n, C)
    return SparseObjective(columns, y, weights, Softmax(), GroupLasso(), n_classes)


@pytest.mark.parametrize(("n", "n_classes", "n_features"), [(60, 3, 2), (120, 4, 2), (90, 5, 1), (80, 8, 5)])
def test_a_weak_penalty_on_noise_converges_or_ends_in_few_steps(n, n_classes, n_features):
    ends = [
        working_set(whole, whole.null_model(), tol=1e-3, max_iter=1000)
        for whole in (noise(C, n, n_classes, n_features) for C in (1e3, 1e6, 1e9, 1e12))
    ]
    assert all(end.converged or end.n_iter < 300 for end in ends)
    # The penalty counts less and less, and a ridge must not hold large coefficients back: J/C does not rise.
    shares = [end.value / C for end, C in zip(ends, (1e3, 1e6, 1e9, 1e12), strict=True)]
    assert all(b <= a * (1 + 1e-9) for a, b in pairwise(shares))
