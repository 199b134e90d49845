import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from kernelproba.kernels import RBF, Laplacian, Matern
from kernelproba.kernels.distances import dot_products

dtypes = st.sampled_from([np.float32, np.float64])
scales = st.sampled_from([1e-8, 1e-4, 1.0, 1e4, 1e8])


@st.composite
def rows(draw):
    """Random rows of mixed scales and offsets."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 40)), draw(st.integers(1, 12))
    scale = np.array([draw(scales) for _ in range(d)])
    offset = draw(st.sampled_from([0.0, 1.0, 1e3, 1e6]))
    return ((rng.normal(size=(n, d)) + offset) * scale).astype(draw(dtypes))


@settings(deadline=None, max_examples=150)
@given(rows(), st.randoms(use_true_random=False), st.sampled_from([np.asarray, sp.csr_array]))
def test_identical_rows_are_at_distance_exactly_zero_wherever_they_stand(X, random, form):
    order = random.sample(range(len(X)), len(X))
    D = RBF().distances(form(X), form(np.vstack([X[order], X[order][:3]])))
    assert np.all(D >= 0)
    assert np.all(D[order, np.arange(len(X))] == 0)
    assert np.all(D[order[:3], len(X) + np.arange(min(3, len(X)))] == 0)


@settings(deadline=None, max_examples=100)
@given(rows())
def test_distances_are_as_exact_as_the_rounding_of_the_norms_allows(X):
    Z = X[::2] + X.std(axis=0)
    D = RBF().distances(X, Z)
    exact = cdist(X.astype(float), Z.astype(float), "sqeuclidean")
    spread = cdist(X.astype(float), np.median(Z, axis=0, keepdims=True).astype(float), "sqeuclidean").max()
    assert abs(D - exact).max() <= 40 * np.finfo(X.dtype).eps * max(spread, exact.max())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_close_rows_far_from_the_others_keep_their_small_distances(dtype, form):
    rng = np.random.default_rng(0)
    offset = 1e3 / np.sqrt(np.finfo(dtype).eps)
    centres = np.where(rng.random((60, 1)) < 0.5, -offset, offset)
    X = (centres + offset * np.finfo(dtype).eps * rng.integers(-50, 50, (60, 3))).astype(dtype)
    D = RBF().distances(form(X), form(X[:30]))
    exact = cdist(X.astype(float), X[:30].astype(float), "sqeuclidean")
    np.testing.assert_allclose(D, exact, rtol=10 * np.finfo(dtype).eps)


def test_one_outlier_does_not_spoil_the_distances_of_the_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    X[17] = 1e15
    D = np.delete(RBF().distances(X, X[:100]), 17, axis=1)
    exact = np.delete(cdist(X, X[:100], "sqeuclidean"), 17, axis=1)
    np.testing.assert_allclose(D, exact, rtol=1e-12)


def test_a_large_offset_common_to_all_rows_costs_no_accuracy():
    X = np.random.default_rng(0).integers(-8, 8, (50, 3)) + 2.0**40
    np.testing.assert_array_equal(RBF().distances(X, X), RBF().distances(X - 2.0**40, X - 2.0**40))


@pytest.mark.parametrize("kernel", [RBF(), Matern(), Laplacian()])
def test_distances_then_shape_is_the_kernel(kernel):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(30, 3)), rng.normal(size=(20, 3))
    for length_scale in (0.2, 5.0, [0.5, 1, 2]):
        scaled = type(kernel)(length_scale)
        np.testing.assert_array_equal(scaled.of_distance(scaled.distances(X, Z)), scaled(X, Z))
    D = kernel.distances(X, Z)
    for length_scale in (0.2, 5.0):
        K = type(kernel)(length_scale).of_distance(D.copy())
        np.testing.assert_array_equal(K, type(kernel)(length_scale)(X, Z))


def test_of_distance_works_in_place():
    D = RBF().distances(np.eye(3), np.eye(3))
    assert RBF().of_distance(D) is D


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6, 1e8])
def test_csr_rows_with_an_offset_are_compared_as_exactly_as_dense_ones(offset):
    X = np.random.default_rng(0).normal(size=(80, 6)) + offset
    exact = cdist(X, X[:40], "sqeuclidean")
    np.testing.assert_allclose(RBF().distances(sp.csr_array(X), sp.csr_array(X[:40])), exact, rtol=1e-7)


def test_sparse_rows_that_share_few_large_entries_keep_their_small_distances():
    rng = np.random.default_rng(0)
    X = np.zeros((90, 3000))
    for row, start in zip(X, rng.integers(0, 3, 90) * 50, strict=True):
        row[start : start + 50] = 1e6 + rng.normal(size=50)
    exact = cdist(X, X[:40], "sqeuclidean")
    np.testing.assert_allclose(RBF().distances(sp.csr_array(X), sp.csr_array(X[:40])), exact, rtol=1e-7)


def test_clusters_far_apart_keep_the_digits_of_their_inner_distances():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4)) + 1e6 * rng.integers(0, 3, (90, 1))
    np.testing.assert_allclose(RBF().distances(X, X[:40]), cdist(X, X[:40], "sqeuclidean"), rtol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kernel", [RBF(), RBF([1.0, 2.0]), Matern(), Laplacian()])
def test_the_largest_numbers_are_infinitely_far_without_a_warning(kernel, form):
    X = np.full((3, 2), np.finfo(float).max) * [[1], [-1], [0]]
    K = kernel(form(X), form(X))
    np.testing.assert_array_equal(K, np.eye(3))


@pytest.mark.parametrize("density", [0.02, 0.5])
def test_products_of_sparse_rows_are_those_of_dense_ones_whether_centres_are_full_or_not(density):
    rng = np.random.default_rng(0)
    X, Z = (sp.csr_array(rng.random((n, 40)) * (rng.random((n, 40)) < density)) for n in (9, 7))
    out = np.empty((9, 7))
    dot_products(Z)(X, out)
    np.testing.assert_allclose(out, X.toarray() @ Z.toarray().T, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_indicators_are_compared_by_a_product_as_by_differences(dtype):
    rng = np.random.default_rng(0)
    steps = (rng.random((200, 30)) < 0.2) * rng.random(30) - 0.5
    X = np.hstack([rng.normal(size=(200, 3)), steps]).astype(dtype)
    X[1], kernel = X[0], Laplacian(2.0)
    D = kernel.distances(X, X)
    np.testing.assert_allclose(D, cdist(X, X, "cityblock"), rtol=1e-5 if dtype == np.float32 else 1e-12)
    assert D[0, 1] == 0
    assert not D.diagonal().any()


def test_a_third_value_in_a_column_of_indicators_is_compared_as_any_other():
    rng = np.random.default_rng(0)
    Z = (rng.random((100, 12)) < 0.5).astype(float)
    X = np.vstack([Z[:5], np.full((1, 12), 0.3)])
    np.testing.assert_allclose(Laplacian(1.0).distances(X, Z), cdist(X, Z, "cityblock"))
