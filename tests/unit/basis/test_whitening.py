"""Whitened coordinates: the RKHS norm is Euclidean, and redundant rows are not centres."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelproba.basis import span_rows
from kernelproba.kernels import RBF, CallableKernel, Linear, Precomputed, Sigmoid


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 3))


@pytest.mark.parametrize("kernel", [RBF(1.5), Linear(), RBF(3.0) + Linear()])
def test_features_reproduce_the_kernel_matrix(kernel, X):
    _, Phi = span_rows(kernel, X)
    assert_allclose(Phi @ Phi.T, kernel(X, X), atol=1e-9)


@pytest.mark.parametrize("kernel", [RBF(1.5), Linear(), Sigmoid(0.3, 0.1)])
def test_dual_coefficients_give_the_scores_of_the_coordinates(kernel, X):
    basis, Phi = span_rows(kernel, X)
    W = np.random.default_rng(1).normal(size=(Phi.shape[1], 2))
    scores = kernel(X, X[basis.index]) @ basis.dual(W)
    assert_allclose(scores, Phi @ W, atol=1e-6)
    assert_allclose(basis.coordinates(scores[basis.index]), W, atol=1e-6)


def test_the_norm_of_the_coordinates_is_the_norm_of_the_function(X):
    kernel = RBF(1.0)
    basis, Phi = span_rows(kernel, X)
    W = np.random.default_rng(1).normal(size=(Phi.shape[1], 1))
    alpha, Z = basis.dual(W), X[basis.index]
    assert (alpha.T @ kernel(Z, Z) @ alpha).item() == pytest.approx((W**2).sum())


def test_duplicate_rows_are_centres_once(X):
    basis, Phi = span_rows(RBF(1.0), np.vstack([X, X[:7]]))
    assert len(basis.index) == 40
    assert_allclose(Phi[40:], Phi[:7], atol=1e-12)


def test_a_linear_kernel_has_as_many_centres_as_features(X):
    basis, _ = span_rows(Linear(), X)
    assert len(basis.index) == 3


def test_an_indefinite_precomputed_matrix_is_refused_with_the_cure():
    for K in ([[1.0, 2.0], [2.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]], [[-1.0, 0.0], [0.0, 1.0]]):
        with pytest.raises(ValueError, match=r"not positive semi-definite.*clipping"):
            span_rows(Precomputed(), np.array(K))


def test_of_an_indefinite_kernel_the_positive_part_is_used(X):
    def difference(A, B):
        return RBF(1.0)(A, B) - RBF(0.3)(A, B) / 2

    kernel = CallableKernel(difference, {})
    _, Phi = span_rows(kernel, X)
    values, U = np.linalg.eigh(difference(X, X))
    assert values[0] < -1e-3
    positive = (U * np.maximum(values, 0)) @ U.T
    assert_allclose(Phi @ Phi.T, positive, atol=1e-9)
