"""One matrix of distances serves all widths."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba.kernels import RBF, Laplacian, Linear, Matern, Precomputed
from kernelproba.kernels.distance_cache import DistanceCache

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(30, 3)), RNG.normal(size=(7, 3))
KERNELS = [RBF(0.3), RBF(2.0), Matern(0.5), Laplacian(1.0), RBF([1.0, 2.0, 3.0]), Linear()]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_matrices_are_those_of_the_kernel(kernel):
    rows = np.array([3, 1, 7])
    assert_allclose(DistanceCache(X).matrix(kernel), kernel(X, X), atol=1e-14)
    assert_allclose(DistanceCache(X, Z).matrix(kernel), kernel(X, Z), atol=1e-14)
    assert_allclose(DistanceCache(X, Z).matrix(kernel, rows=rows), kernel(X[rows], Z), atol=1e-14)
    assert_allclose(DistanceCache(X, Z, max_values=3).matrix(kernel), kernel(X, Z), atol=1e-14)
    assert_allclose(DistanceCache(sp.csr_array(X), sp.csr_array(Z)).matrix(kernel), kernel(X, Z), atol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS[:-1], ids=repr)
def test_logarithms_are_those_of_the_kernel(kernel):
    rows, columns = np.array([3, 1, 7]), np.array([2, 6])
    for cache, centers in ((DistanceCache(X), X), (DistanceCache(X, Z), Z)):
        assert_allclose(np.exp(cache.logarithm(kernel, rows, columns)), kernel(X[rows], centers[columns]))


@pytest.mark.parametrize("centers", [None, Z], ids=["themselves", "centres"])
def test_distances_are_computed_once_for_all_widths_and_precisions(monkeypatch, centers):
    asked = []
    bound = RBF._distances_to
    monkeypatch.setattr(RBF, "_distances_to", lambda self, *rows: asked.append(1) or bound(self, *rows))
    cache = DistanceCache(X, centers)
    for width in (0.1, 1.0, 10.0):
        for dtype in (np.float64, np.float32):
            K = cache.matrix(RBF(width), dtype)
            assert K.dtype == dtype
            assert_allclose(K, RBF(width)(X, X if centers is None else Z), atol=1e-6)
    assert len(asked) == 2 + 5  # the cache, and the kernels it is compared with


def test_kernels_of_different_distances_do_not_mix():
    cache = DistanceCache(X)
    cache.matrix(RBF(1.0))
    assert_allclose(cache.matrix(Laplacian(1.0)), Laplacian(1.0)(X, X))


def test_a_matrix_that_was_handed_out_may_be_overwritten():
    cache = DistanceCache(X)
    cache.matrix(RBF(1.0))[:] = 0
    assert_allclose(cache.matrix(RBF(1.0)), RBF(1.0)(X, X))


def test_an_offset_costs_no_digits_in_single_precision():
    far = DistanceCache(X + 1e6, Z + 1e6).matrix(RBF(1.0), np.float32)
    assert far.dtype == np.float32
    assert_allclose(far, RBF(1.0)(X, Z), atol=1e-6)


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_rows_beyond_single_precision_are_compared_in_double(size):
    K = DistanceCache(size * X, size * Z).matrix(RBF(size), np.float32)
    assert K.dtype == np.float32
    assert_allclose(K, RBF(1.0)(X, Z), atol=1e-6)


def test_a_precomputed_matrix_is_taken_as_it_is():
    K = rbf_kernel(X)
    cache = DistanceCache(K)
    assert_allclose(cache.matrix(Precomputed()), K)
    assert_array_equal(DistanceCache(K, np.array([2, 3])).matrix(Precomputed()), K[:, [2, 3]])
    assert_allclose(
        cache.logarithm(Precomputed(), np.array([1]), np.array([2, 3])), np.log(K[[1]][:, [2, 3]])
    )


@pytest.mark.parametrize("size", [1e35, 1e100, 1e300])
def test_rows_beyond_single_precision_keep_their_distances(size):
    X = np.array([[0.0], [1.0], [2.0]]) * size
    K = DistanceCache(X).matrix(RBF(size), np.float32)
    near = np.exp(-0.5) if size < 3e38 else K[0, 1]  # a width beyond single precision tells no rows apart
    assert np.isfinite(K).all()
    assert K[0, 1] == pytest.approx(near, rel=1e-5)
