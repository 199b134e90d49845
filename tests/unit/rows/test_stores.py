"""The seam between storage and mathematics."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kernelproba.rows.store import as_rows

A = np.arange(21.0).reshape(7, 3)


@pytest.mark.parametrize("block_rows", [None, 1, 2, 7, 100])
def test_map_stacks_and_fold_sums_whatever_the_blocks(block_rows):
    rows = as_rows(A, block_rows=block_rows)
    weight = np.arange(7.0)
    assert_array_equal(rows.map(lambda X, w: w * X[:, 0], weight), weight * A[:, 0])
    total, count = rows.fold(lambda X, w: (w @ X, len(X)), weight)
    assert_array_equal(total, weight @ A)
    assert count == 7


def test_rows_know_their_shape_and_are_taken_in_order():
    rows = as_rows(A)
    assert (len(rows), rows.width) == (7, 3)
    assert_array_equal(rows.take(np.array([5, 0])), A[[5, 0]])


def test_no_rows_fold_to_the_sum_over_an_empty_block():
    assert_array_equal(as_rows(A[:0], block_rows=4).fold(lambda X: X.sum(axis=0)), np.zeros(3))
