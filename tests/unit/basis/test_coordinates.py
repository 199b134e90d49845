"""Coordinates for maximum likelihood: uncorrelated, of full rank, and with a way back."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelproba.basis.coordinates import Coordinates, principal_coordinates


@pytest.fixture
def collinear():
    """Three features of rank two, on scales that differ by 1e10, and weights."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(50, 2)) + 3
    return np.column_stack([A[:, 0] * 1e5, A[:, 1] * 1e-5, A.sum(axis=1)]), rng.uniform(0.5, 2, size=50)


def test_coordinates_are_uncorrelated_with_variance_one(collinear):
    Phi, weight = collinear
    U = principal_coordinates(Phi, weight, center=True).features(Phi)
    assert U.shape == (50, 2)
    assert_allclose(np.average(U, axis=0, weights=weight), 0, atol=1e-10)
    assert_allclose(U.T @ (weight[:, None] * U) / weight.sum(), np.eye(2), atol=1e-10)


def test_without_an_intercept_nothing_is_subtracted(collinear):
    Phi, weight = collinear
    coordinates = principal_coordinates(Phi, weight, center=False)
    assert_array_equal(coordinates.mean, 0)
    U = coordinates.features(Phi)
    assert_allclose(U.T @ (weight[:, None] * U) / weight.sum(), np.eye(2), atol=1e-10)
    assert_array_equal(coordinates.back(intercept=False), coordinates.map)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_way_back_gives_the_same_scores(collinear, intercept):
    Phi, weight = collinear
    coordinates = principal_coordinates(Phi, weight, center=intercept)
    T = coordinates.back(intercept=intercept)
    theta_hat = np.random.default_rng(1).normal(size=(T.shape[1], 2))
    ones = np.ones((50, int(intercept)))
    in_coordinates = np.hstack([coordinates.features(Phi), ones]) @ theta_hat
    assert_allclose(np.hstack([Phi, ones]) @ (T @ theta_hat), in_coordinates, rtol=1e-8)


def test_duplicate_columns_share_a_coefficient_and_neither_is_identified():
    x, z = np.random.default_rng(0).normal(size=(2, 30))
    coordinates = principal_coordinates(np.column_stack([x, z, x]), np.ones(30), center=True)
    assert_allclose(coordinates.map[0], coordinates.map[2])
    # The means of x do not vanish, but along w₀ = −w₂ the intercept stays.
    assert_array_equal(coordinates.identified, [False, True, False, True])


def test_a_constant_column_is_left_out_and_takes_the_intercept_with_it():
    x = np.random.default_rng(0).normal(size=1000)
    coordinates = principal_coordinates(np.column_stack([x, np.full(1000, 0.1)]), np.ones(1000), center=True)
    assert coordinates.map.shape == (2, 1)
    assert coordinates.map[1, 0] == 0
    assert_array_equal(coordinates.identified, [True, False, False])


def test_a_column_of_zeros_leaves_the_intercept_alone():
    x = np.random.default_rng(0).normal(size=20)
    coordinates = principal_coordinates(np.column_stack([x, np.zeros(20)]), np.ones(20), center=True)
    assert_array_equal(coordinates.identified, [True, False, True])


def test_more_columns_than_rows_leave_the_rank_of_the_rows():
    Phi = np.random.default_rng(0).normal(size=(4, 9))
    assert principal_coordinates(Phi, np.ones(4), center=True).map.shape == (9, 3)
    assert principal_coordinates(Phi, np.ones(4), center=False).map.shape == (9, 4)


def test_unchanged_coordinates_change_nothing():
    Phi = np.random.default_rng(0).normal(size=(5, 3))
    coordinates = Coordinates.unchanged(3)
    assert_array_equal(coordinates.features(Phi), Phi)
    assert_array_equal(coordinates.back(intercept=True), np.eye(4))
    assert coordinates.identified.all()
