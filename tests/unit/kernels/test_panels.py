"""Symmetric matrices in panels of columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from kernelproba.kernels import RBF, kernel_matrix, kernel_panels, matrix, panels


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(301, 3))


@pytest.mark.parametrize("n", [1, 63, 64, 65, 192, 301])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_its_columns_are_those_of_the_kernel_matrix(n, dtype, X, monkeypatch):
    monkeypatch.setattr(matrix, "STRIP", 128)
    K = kernel_panels(RBF(1.0), X[:n], dtype)
    assert K.dtype == dtype
    assert_array_equal(K.product(np.eye(n)), kernel_matrix(RBF(1.0), X[:n], dtype))
    assert K.mean_diagonal == 1


@pytest.mark.parametrize("k", [1, 2, 7, 80])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("order", ["C", "F"])
def test_products_cut_into_small_ones_are_the_same(k, threads, order, X, monkeypatch):
    A = np.asarray(np.random.default_rng(1).normal(size=(len(X), k)), order=order)
    K = kernel_panels(RBF(1.0), X)
    monkeypatch.setattr(panels, "SMALL_PRODUCT", 64 * 50)
    with threadpool_limits(limits=threads, user_api="blas"):
        product = K.product(A)
    assert product.dtype == np.float64
    assert_allclose(product, RBF(1.0)(X, X) @ A, atol=1e-12)


def test_products_keep_the_columns_of_long_vectors(X):
    assert kernel_panels(RBF(1.0), X, np.float32).product(np.ones((len(X), 3))).T.strides[1] == 8
