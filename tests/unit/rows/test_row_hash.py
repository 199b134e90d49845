import numpy as np
import scipy.sparse as sp

from kernelproba.rows.row_hash import row_keys


def grid_rows(n=20_000, d=5, seed=0):
    """Small whole numbers, whose doubles differ in their high bits alone, with many repetitions."""
    return np.random.default_rng(seed).integers(0, 8, (n, d)).astype(float)


def test_rows_have_equal_keys_exactly_when_they_are_equal():
    X = grid_rows()
    assert len(np.unique(row_keys(X))) == len(np.unique(X, axis=0))


def test_a_key_does_not_depend_on_place_precision_order_or_storage():
    X = grid_rows(500)
    keys = row_keys(X)
    np.testing.assert_array_equal(row_keys(X[::-1])[::-1], keys)
    np.testing.assert_array_equal(row_keys(X.astype(np.float32)), keys)
    np.testing.assert_array_equal(row_keys(np.asfortranarray(X)), keys)
    np.testing.assert_array_equal(row_keys(sp.csr_array(X)), keys)
    np.testing.assert_array_equal(np.concatenate([row_keys(X[:7]), row_keys(X[7:])]), keys)


def test_minus_zero_is_zero():
    np.testing.assert_array_equal(row_keys(np.array([[-0.0, 1.0]])), row_keys(np.array([[0.0, 1.0]])))


def test_values_in_other_columns_are_another_row():
    assert row_keys(np.array([[1.0, 2.0]])) != row_keys(np.array([[2.0, 1.0]]))


def test_labels_are_part_of_the_key():
    X = grid_rows(10)
    assert not np.isin(row_keys(X, np.zeros(10, int)), row_keys(X, np.ones(10, int))).any()


def test_keys_look_uniform():
    keys = row_keys(np.unique(grid_rows(), axis=0))
    counts = np.bincount((keys >> np.uint64(60)).astype(int), minlength=16)
    expected = len(keys) / 16
    assert np.sum((counts - expected) ** 2 / expected) < 40  # χ² with 15 degrees of freedom: 1 in 2000
