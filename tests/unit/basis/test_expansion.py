"""Basis functions and where they are put, against the formulas and constructed answers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelproba.basis import expansion


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 3)), rng.integers(1, 4, size=40).astype(float)


@pytest.mark.parametrize("width", [0.7, np.array([0.5, 1.0, 2.0])])
def test_gaussians_are_the_formula(rows, width):
    X, centers = rows[0][5:], rows[0][:5]
    squares = (((X[:, None] - centers) / width) ** 2).sum(axis=2)
    assert_allclose(expansion.gaussian(X, centers, width), np.exp(-squares / 2), rtol=1e-12)


def test_sigmoids_are_the_formula_for_each_feature_and_distinct_coordinate():
    X = np.array([[0.3, -1.0], [2.0, 4.0]])
    centers = np.array([[1.0, 5.0], [0.0, 5.0]])
    features = expansion.sigmoidal(X, centers, np.array([0.5, 3.0]))
    expected = [[(x - 0.0) / 0.5, (x - 1.0) / 0.5, (z - 5.0) / 3.0] for x, z in X]
    assert_allclose(features, 1 / (1 + np.exp(-np.array(expected))))


def test_k_means_finds_well_separated_groups():
    rng = np.random.default_rng(1)
    truth = np.array([[0.0, 0.0], [0.0, 10.0], [10.0, 0.0]])
    X = np.repeat(truth, 20, axis=0) + 0.1 * rng.normal(size=(60, 2))
    centers = expansion.k_means_centers(X, np.ones(60), 3, 0)
    assert_allclose(centers[np.lexsort(centers.round().T[::-1])], truth, atol=0.15)


def test_k_means_sees_a_weight_of_two_as_a_row_seen_twice_in_any_order(rows):
    X, weight = rows
    repeated = np.repeat(X, weight.astype(int), axis=0)[::-1]
    weighted = expansion.k_means_centers(X, weight, 4, 0)
    assert_allclose(expansion.k_means_centers(repeated, np.ones(len(repeated)), 4, 0), weighted)


def test_k_means_of_few_distinct_rows_are_the_rows():
    X = np.repeat([[2.0], [1.0]], 5, axis=0)
    assert_array_equal(expansion.k_means_centers(X, np.ones(10), 7, 0), [[1.0], [2.0]])


def test_even_knots_reach_from_the_least_to_the_greatest_value():
    X = np.array([[0.0, -1.0], [4.0, 1.0], [1.0, 0.0]])
    assert_allclose(expansion.even_knots(X, 3), [[0.0, -1.0], [2.0, 0.0], [4.0, 1.0]])
    assert_allclose(expansion.even_knots(X, 1), [[2.0, 0.0]])


def test_quantile_knots_split_the_weight_evenly():
    X = np.arange(100.0)[:, None]
    assert_array_equal(expansion.quantile_knots(X, np.ones(100), 4)[:, 0], [12, 37, 62, 87])
    heavy = np.where(X[:, 0] == 70.0, 1e6, 1.0)
    assert_array_equal(expansion.quantile_knots(X, heavy, 2)[:, 0], [70, 70])


def test_a_grid_holds_every_combination_of_distinct_values():
    grid = expansion.product_grid(np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 6.0]]))
    assert_array_equal(grid, [[0, 5], [0, 6], [1, 5], [1, 6], [2, 5], [2, 6]])


def test_a_grid_in_many_dimensions_is_refused_with_the_cure():
    with pytest.raises(ValueError, match=r"n_centers.*k-means"):
        expansion.product_grid(np.arange(10.0)[:, None] * np.ones(8))


def test_widths_of_an_even_line_of_centres():
    centers = np.arange(5.0)[:, None] * 2
    # distances 2 4 6 8, 2 4 6, 2 4, 2: sorted 2 2 2 2 4 4 4 6 6 8
    assert expansion.median_width(centers, None) == pytest.approx(4.0)
    assert expansion.nearest_width(centers) == pytest.approx(2.0)
    assert expansion.nearest_width(np.repeat(centers, 2, axis=0)) == pytest.approx(2.0)


def test_coinciding_centres_have_no_width_between_them():
    centers = np.ones((3, 2))
    assert expansion.median_width(centers, None) == expansion.nearest_width(centers) == 0


def test_the_spread_is_the_root_mean_square_distance():
    assert expansion.spread(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([3.0, 1.0]), np.zeros(2)) == (
        pytest.approx(np.sqrt(75 / 4))
    )
