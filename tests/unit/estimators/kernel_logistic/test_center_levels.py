"""Samples before all rows, and rows of weight zero."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelproba.estimators.kernel_logistic.center_levels import (
    CenteredProblem,
    Levels,
    larger_sizes,
    last_sample,
)
from kernelproba.estimators.kernel_logistic.exact import Options
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.kernels import RBF
from kernelproba.rows import MemoryRows

N, M = 20_000, 12


def centered(weights):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 2))
    y = (X[:, 0] + rng.standard_normal(N) > 0).astype(np.int8)
    return CenteredProblem(RBF(1.0), X[:M], np.arange(M), MemoryRows(X), y, weights, 2)


def levels_of(problem, limit="100MB", **options):
    plan = MemoryPlan.within(limit)
    return Levels.of(problem, Options("auto", 1e-2, 200, True), plan, np.random.RandomState(0), **options)


@pytest.mark.parametrize(
    ("kept", "most", "sizes"),
    [(20_000, 1_250_000, [156_250, 1_250_000]), (20_000, 39_999, []), (20_000, 40_000, [40_000]), (5, 0, [])],
)
def test_samples_grow_by_a_factor_up_to_the_largest(kept, most, sizes):
    assert larger_sizes(kept, most) == sizes


@pytest.mark.parametrize(
    ("n", "m", "limit", "rows"),
    [
        (100_000, 4000, "12GB", 48_000),  # a Gram matrix takes as long as dozens of steps
        (100_000, 1000, "12GB", 20_000),
        (100_000, 4000, "2GB", 80_000),  # kernel values are computed at every step
    ],
)
def test_the_sample_whose_curvature_counts_is_small_where_steps_cost_less_than_it(n, m, limit, rows):
    assert last_sample(n, m, MemoryPlan.within(limit)) == rows


def test_larger_samples_are_drawn_for_a_first_fit_only_and_weigh_as_much_as_all_rows():
    problem = centered(np.ones(N))
    assert [*levels_of(problem).larger()] == []
    (larger,) = levels_of(problem, larger=True).larger()
    assert len(larger.features) == N // 8
    assert_allclose(larger.weights.sum(), N)


@pytest.mark.parametrize("limit", ["100MB", "20KB"])
def test_rows_of_weight_zero_change_no_sum_and_are_not_computed_where_nothing_is_kept(limit):
    weights = np.random.default_rng(1).integers(0, 2, N) * 2.0
    problem = centered(weights)
    found = levels_of(problem, limit).weighted(problem)
    theta = np.random.default_rng(2).standard_normal(found.shape)
    value, gradient = levels_of(problem).full.value_and_gradient(theta)
    assert len(found.features) == (N if limit == "100MB" else (weights > 0).sum())
    assert_allclose(found.value_and_gradient(theta)[0], value)
    assert_allclose(found.value_and_gradient(theta)[1], gradient)
    assert_allclose(found.features.take(np.arange(3)), found.features.map(np.copy)[:3])
