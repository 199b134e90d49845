import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba.kernels import RBF, CallableKernel, Precomputed


def data(n=40, seed=0):
    return np.random.default_rng(seed).random((n, 3))


def tilted(X, Z, slope=1.0):
    return slope * np.asarray(X @ Z.T)


def test_a_function_of_two_matrices_is_a_kernel():
    X, Z = data(), data(12, seed=1)
    kernel = CallableKernel(rbf_kernel, {"gamma": 0.3})
    np.testing.assert_array_equal(kernel(X, Z), rbf_kernel(X, Z, gamma=0.3))
    np.testing.assert_allclose(kernel.diag(X), 1)
    np.testing.assert_array_equal((2 * kernel)(X, Z), 2 * rbf_kernel(X, Z, gamma=0.3))
    assert clone(kernel) == kernel


def test_the_diagonal_of_a_function_is_that_of_its_matrix():
    X = data(101)
    np.testing.assert_allclose(CallableKernel(tilted).diag(X), tilted(X, X).diagonal(), rtol=1e-13)


def test_a_function_may_return_a_list_an_integer_or_a_sparse_matrix():
    X, Z = data(), data(12, seed=1)
    for convert in (np.ndarray.tolist, sp.csr_matrix, np.asfortranarray, lambda K: (K * 10).astype(int)):
        K = CallableKernel(lambda X, Z, convert=convert: convert(tilted(X, Z)))(X, Z)
        assert K.shape == (40, 12)
        assert K.dtype == np.float64
        assert K.flags.c_contiguous


def test_a_function_of_two_rows_is_told_what_is_expected():
    with pytest.raises(
        ValueError, match=r"returned shape \(\).*two matrices and return one of shape \(40, 12\)"
    ):
        CallableKernel(lambda x, z: float(np.sum(x) * np.sum(z)))(data(), data(12))


def test_the_block_is_the_callers_to_change():
    stored = np.ones((3, 3))
    K = CallableKernel(lambda *_: stored)(np.eye(3), np.eye(3))
    K += 1
    assert np.all(stored == 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_precomputed_matrix_is_read_by_columns(dtype, form):
    G = RBF()(data(), data()).astype(dtype)
    kernel, index = Precomputed(), np.array([5, 2, 9])
    centres = kernel.select(form(G), index)
    np.testing.assert_array_equal(centres, index)
    K = kernel(form(G)[:7], centres)
    np.testing.assert_array_equal(K, G[:7, index])
    assert K.dtype == dtype
    assert K.flags.c_contiguous
    K[...] = 0
    np.testing.assert_array_equal(kernel.diag(form(G)), G.diagonal())


@pytest.mark.parametrize("kernel", [2 * Precomputed(), RBF() + Precomputed(), Precomputed() * RBF()], ids=str)
def test_a_precomputed_kernel_does_not_combine_with_others(kernel):
    G = RBF()(data(), data())
    with pytest.raises(ValueError, match="combine the matrices"):
        kernel(G, kernel.select(G, [1, 2]))


def test_part_of_a_precomputed_matrix_has_no_diagonal():
    with pytest.raises(ValueError, match=r"square, got shape \(7, 40\)"):
        Precomputed().diag(RBF()(data(), data())[:7])


def test_a_function_that_returns_nan_is_refused():
    kernel = CallableKernel(lambda X, Z: np.full((len(X), len(Z)), np.nan))
    with pytest.raises(ValueError, match="kernel function returned NaN or infinity"):
        kernel(np.ones((2, 1)), np.ones((3, 1)))
