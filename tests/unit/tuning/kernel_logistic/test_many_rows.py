"""Samples and folds of many rows: every class is in each of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelproba.rows import MemoryRows
from kernelproba.tuning.kernel_logistic.many_rows import ManyRows


def many_rows(counts):
    """Rows sorted by class, so many of each."""
    codes = np.repeat(np.arange(len(counts)), counts)
    ones = np.ones(len(codes))
    return ManyRows(MemoryRows(codes[:, None].astype(float)), codes, ones, ones, codes)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=6), st.sampled_from([2, 4]), st.integers(0, 99))
def test_a_row_is_left_out_once_and_never_all_of_its_class(counts, n_folds, seed):
    many = many_rows(counts)
    fold = many.folds(n_folds, np.random.RandomState(seed))
    for label, count in enumerate(counts):
        own = fold[many.codes == label]
        assert (own >= 0).all() == (count > 1)
        assert all((own != number).any() for number in range(n_folds))


@pytest.mark.parametrize("seed", range(3))
def test_a_sample_of_sorted_rows_has_rows_of_every_class(seed):
    many = many_rows([500, 1, 2, 497])
    sample = many.with_rare(many.draw(20, np.random.RandomState(seed)))
    assert np.bincount(many.codes[sample]).tolist()[1:3] == [1, 2]
