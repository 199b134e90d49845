"""Rows of a kernel matrix, held or computed on demand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelproba.basis.gram import Gram
from kernelproba.kernels import RBF, Precomputed


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(30, 3))


@pytest.mark.parametrize("held_values", [10**6, 200, 0])
def test_rows_and_products_do_not_depend_on_what_is_held(rows, held_values):
    K, gram = RBF()(rows, rows), Gram(RBF(), rows, held_values=held_values)
    assert len(gram) == 30
    for index in ([3, 1, 4, 1], [29], [], list(range(30)), [3, 1]):
        assert_allclose(gram.rows(np.array(index, dtype=int)), K[np.array(index, dtype=int)], atol=1e-14)
    B = np.random.default_rng(1).normal(size=(30, 2))
    for used in (30, 10, 1, 0):
        B[used:] = 0
        assert_allclose(gram.product(B), K @ B, atol=1e-12)


def test_precomputed_matrices_and_single_precision_serve_too(rows):
    K = RBF()(rows, rows)
    for gram in (Gram(Precomputed(), K), Gram(Precomputed(), K, held_values=1), Gram.of_matrix(K)):
        assert_allclose(gram.rows(np.array([2, 5])), K[[2, 5]])
    single = Gram(RBF(), rows.astype(np.float32)).rows(np.array([0]))
    assert single.dtype == np.float64
    assert_allclose(single, K[:1], atol=1e-6)


def test_only_so_many_rows_are_kept(rows):
    gram = Gram(RBF(), rows, held_values=5 * 30)
    gram.rows(np.arange(20))
    assert len(gram._kept) == 5
