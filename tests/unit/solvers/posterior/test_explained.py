"""Unexplained shares against the dense formula, and left-out rows against leaving them out."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba.kernels import RBF
from kernelproba.solvers.posterior.explained import explained_rows

GAMMA = 0.5
KERNEL = RBF((2 * GAMMA) ** -0.5)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(30, 2)), 2 * rng.normal(size=(20, 2)), rng.uniform(1, 20, 30)


def dense(X, X_new, precision):
    K, k = rbf_kernel(X, X, GAMMA), rbf_kernel(X_new, X, GAMMA)
    return 1 - np.einsum("ij,ji->i", k, np.linalg.solve(K + np.diag(1 / precision), k.T))


def test_new_rows_are_left_what_the_dense_formula_leaves(rows):
    X, X_new, precision = rows
    explained, _ = explained_rows(KERNEL, X, precision, 100)
    np.testing.assert_allclose(explained.unexplained(X_new), dense(X, X_new, precision), atol=1e-6)


def test_a_row_left_out_is_left_what_the_others_leave(rows):
    X, _, precision = rows
    _, left_out = explained_rows(KERNEL, X, precision, 100)
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        expected = dense(X[others], X[i : i + 1], precision[others])[0]
        np.testing.assert_allclose(left_out[i], expected, atol=1e-6)


def test_a_row_beside_none_is_unexplained_and_a_copy_of_a_precious_row_is_explained(rows):
    X, _, _ = rows
    explained, _ = explained_rows(KERNEL, X, np.full(30, 1e6), 100)
    np.testing.assert_allclose(explained.unexplained(np.array([[40.0, 40.0], X[3]])), [1.0, 0.0], atol=1e-5)


def test_fewer_features_explain_less(rows):
    X, X_new, precision = rows
    few, many = (explained_rows(KERNEL, X, precision, rank)[0].unexplained(X_new) for rank in (5, 100))
    assert (few >= many - 1e-9).all()
