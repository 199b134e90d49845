"""The symmetric kernel matrix and its precision."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from kernelproba.kernels import RBF, Linear, Precomputed, kernel_matrix, matrix


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize("kernel", [RBF(1.0), Linear(), RBF(2.0) + Linear()])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_is_the_kernel_of_the_rows_and_exactly_symmetric(kernel, dtype, X, monkeypatch):
    monkeypatch.setattr(matrix, "STRIP", 16)
    K = kernel_matrix(kernel, X, dtype)
    assert K.dtype == dtype
    assert_array_equal(K, K.T)
    assert_allclose(K, kernel(X, X), atol=2e-6 if dtype == np.float32 else 1e-14)


def test_an_offset_costs_no_digits_in_single_precision(X):
    shifted = X + np.array([1e6, -1e7, 1e8])
    assert_allclose(kernel_matrix(RBF(1.0), shifted, np.float32), RBF(1.0)(X, X), atol=1e-5)


def test_sparse_and_precomputed_rows_work(X):
    K = RBF(1.0)(X, X)
    assert_allclose(kernel_matrix(RBF(1.0), sp.csr_array(X), np.float32), K, atol=1e-6)
    assert_array_equal(kernel_matrix(Precomputed(), K), np.tril(K) + np.tril(K, -1).T)


def test_a_matrix_beyond_all_memory_is_refused_with_the_cure():
    with pytest.raises(MemoryError, match="n_centers"):
        kernel_matrix(RBF(1.0), np.zeros((3_000_000, 1)), np.float32)
