from concurrent.futures import ThreadPoolExecutor
from threading import current_thread

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from kernelproba import blas_threads
from kernelproba.kernels import (
    RBF,
    ChiSquared,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    blocks,
    kernel_matrix,
    matrix,
)


@pytest.fixture
def tiny_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", 100)
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 3)


@pytest.fixture
def three_threads(monkeypatch):
    """Act as if BLAS had three threads to lend."""

    class Blas:
        def info(self):
            return [{"num_threads": 3}]

        def limit(self, limits):
            return threadpool_limits(limits=limits, user_api="blas")

    monkeypatch.setattr(blas_threads, "blas_libraries", Blas)


KERNELS = [RBF(), Matern(nu=2.5), Laplacian([1, 2, 3]), 2 * Linear() + RBF() * Polynomial(2), ChiSquared()]


def data(n, seed=0):
    return np.random.default_rng(seed).random((n, 3))


@pytest.mark.usefixtures("tiny_blocks")
def test_blocks_cover_every_row_once():
    covered = [row for rows in blocks.row_blocks(50, 7) for row in range(rows.start, rows.stop)]
    assert covered == list(range(50))


def test_a_block_has_enough_rows_for_the_matrix_product_however_many_the_centres():
    assert next(blocks.row_blocks(10**6, 10**6)).stop == blocks.BLOCK_ROWS


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_many_blocks_on_many_threads_give_the_same_matrix(kernel, form, request):
    X, Z = form(data(61)), form(data(23, seed=1))
    whole = kernel(X, Z)
    request.getfixturevalue("tiny_blocks")
    np.testing.assert_allclose(kernel(X, Z), whole, rtol=1e-12)
    request.getfixturevalue("three_threads")
    np.testing.assert_allclose(kernel(X, Z), whole, rtol=1e-12)


@pytest.mark.usefixtures("three_threads")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_symmetric_matrix_written_by_many_threads_is_that_of_one(form, monkeypatch):
    monkeypatch.setattr(matrix, "STRIP", 16)
    K = kernel_matrix(RBF(), form(data(61)))
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(K, RBF()(form(data(61)), form(data(61))), rtol=1e-12)


@pytest.mark.usefixtures("tiny_blocks")
def test_threads_are_taken_from_blas_and_given_back():
    blas = blas_threads.blas_libraries()
    seen = set()

    def work(_):
        seen.add(current_thread().name)
        assert [library["num_threads"] for library in blas.info()] == [1] * len(blas.info())

    with threadpool_limits(limits=2, user_api="blas"):
        before = [library["num_threads"] for library in blas.info()]
        blocks.for_each_block(work, 100, 10)
        assert [library["num_threads"] for library in blas.info()] == before
    assert current_thread().name not in seen or set(before) == {1}


@pytest.mark.usefixtures("tiny_blocks")
def test_a_limit_of_one_blas_thread_keeps_everything_on_the_callers_thread():
    seen = set()
    with threadpool_limits(limits=1, user_api="blas"):
        blocks.for_each_block(lambda _: seen.add(current_thread().name), 100, 10)
    assert seen == {current_thread().name}


@pytest.mark.usefixtures("tiny_blocks")
def test_calls_at_the_same_time_agree_and_leave_blas_as_it_was():
    X, blas = data(200), blas_threads.blas_libraries()
    with threadpool_limits(limits=2, user_api="blas"):
        before = blas.info()
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda _: RBF()(X, X), range(12)))
        assert blas.info() == before
    for K in results:
        np.testing.assert_allclose(K, results[0], rtol=1e-12)


@pytest.mark.usefixtures("tiny_blocks", "three_threads")
def test_an_error_in_a_block_reaches_the_caller():
    X = data(61)
    X[40] = -1
    with pytest.raises(ValueError, match="negative values"):
        ChiSquared()(X, data(23))


@pytest.mark.usefixtures("tiny_blocks", "three_threads")
def test_an_overflow_is_refused_on_every_thread():
    X = np.full((60, 2), 1.0)
    X[57, 1] = 1e200
    with pytest.raises(ValueError, match=r"overflow; X has 1e\+200 in column 1"):
        Polynomial(3)(X, X[:20])


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_map_over_blocks_sees_every_row_once_in_double_precision(kernel, form, dtype, request):
    X, Z = form(data(61).astype(dtype)), form(data(23, seed=1).astype(dtype))
    whole = kernel(X, Z).astype(np.float64)
    request.getfixturevalue("tiny_blocks")
    request.getfixturevalue("three_threads")
    mapped = kernel.map(X, Z, lambda K: K.copy())
    assert mapped.dtype == np.float64
    np.testing.assert_allclose(mapped, whole, rtol=1e-12 if dtype == np.float64 else 1e-5)


def test_a_map_casts_rows_to_the_precision_of_the_centres_block_by_block():
    X, Z = data(61).astype(np.float32), data(23, seed=1)
    np.testing.assert_array_equal(RBF().map(X, Z, np.copy), RBF().map(X.astype(np.float64), Z, np.copy))


def test_a_map_that_need_not_widen_keeps_single_precision():
    X, Z = data(61).astype(np.float32), data(23).astype(np.float32)
    single = RBF().map(X, Z, np.copy, widen=False)
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single, RBF().map(X, Z, np.copy))


def test_an_error_in_one_block_of_a_map_is_raised(request):
    request.getfixturevalue("tiny_blocks")
    request.getfixturevalue("three_threads")
    with pytest.raises(ValueError, match="negative"):
        ChiSquared().map(-data(61), data(23), np.copy)
