"""Columns of a kernel matrix: held or not, sampled, and of a changing set."""

import numpy as np
import pytest

from kernelproba.basis import columns as columns_module
from kernelproba.basis.columns import KernelColumns, WorkingColumns
from kernelproba.kernels import RBF, resolve_kernel

X = np.random.default_rng(0).standard_normal((40, 3))
K = RBF(1.3)(X, X)


@pytest.fixture(params=["held", "computed", "precomputed"])
def columns(request, monkeypatch):
    if request.param != "held":
        monkeypatch.setattr(columns_module, "HELD_ROWS", 10)
    if request.param == "precomputed":
        return KernelColumns(resolve_kernel("precomputed", K), K)
    return KernelColumns(RBF(1.3), X)


def test_columns_are_those_of_the_kernel_matrix(columns):
    index = np.array([7, 3, 30])
    np.testing.assert_allclose(columns.take(index), K[:, index], rtol=1e-12)


def test_a_product_with_all_columns_is_good_to_single_precision(columns):
    G = np.random.default_rng(1).standard_normal((40, 2))
    np.testing.assert_allclose(columns.transpose_product(G), K.T @ G, atol=1e-5)


def test_a_far_offset_costs_the_product_no_digits(monkeypatch):
    monkeypatch.setattr(columns_module, "HELD_ROWS", 10)
    G = np.random.default_rng(1).standard_normal((40, 2))
    np.testing.assert_allclose(KernelColumns(RBF(1.3), X + 1e6).transpose_product(G), K.T @ G, atol=1e-5)


def test_a_sample_is_a_block_of_the_kernel_matrix(columns):
    rows = np.array([1, 5, 6, 20])
    sample = columns.sample(rows)
    assert (len(sample), sample.held) == (4, True)
    np.testing.assert_allclose(sample.take(np.arange(4)), K[np.ix_(rows, rows)], rtol=1e-12)


def test_working_columns_follow_every_change(columns):
    working, rng = WorkingColumns(columns, np.array([2, 9])), np.random.default_rng(2)
    for _ in range(8):
        kept = rng.random(len(working.index)) < 0.6
        others = np.setdiff1d(np.arange(40), working.index[kept])
        fresh = rng.choice(others, size=rng.integers(0, 9), replace=False)
        expected = np.concatenate([working.index[kept], fresh])
        working.change(kept, fresh)
        np.testing.assert_array_equal(np.sort(working.index), np.sort(expected))
        np.testing.assert_allclose(working.matrix, K[:, working.index], rtol=1e-12)
