"""Copies of rows are merged into weights."""

from dataclasses import dataclass

import numpy as np
from numpy.testing import assert_array_equal

from kernelproba.rows import MemoryRows
from kernelproba.rows.duplicates import Duplicates, count_distinct, first_occurrences, sample_rows


@dataclass(frozen=True)
class Rows:
    X: np.ndarray
    sample_weight: np.ndarray
    weight: np.ndarray


def grid_rows(n=50):
    rng = np.random.default_rng(0)
    return rng.integers(3, size=(n, 2)).astype(float), rng.integers(2, size=n)


def test_merged_rows_are_the_distinct_ones_with_all_their_weight():
    X, y = grid_rows()
    weight = np.arange(50.0)
    copies = Duplicates.of(X, y)
    merged = copies.merged(
        Rows(X, weight, 2 * weight), lambda rows, i: Rows(rows.X[i], rows.sample_weight[i], rows.weight[i])
    )
    assert len(copies) == len(np.unique(np.c_[X, y], axis=0))
    assert_array_equal(merged.X[copies.which], X)
    for k in range(len(copies)):
        same = (merged.X[k] == X).all(axis=1) & (y == y[copies.first[k]])
        assert merged.sample_weight[k] == weight[same].sum()
        assert merged.weight[k] == 2 * weight[same].sum()


def test_the_order_of_distinct_rows_is_not_that_of_the_rows():
    X, y = grid_rows()
    copies, back = Duplicates.of(X, y), Duplicates.of(X[::-1], y[::-1])
    assert_array_equal(X[copies.first], X[::-1][back.first])


def test_whole_weights_are_counts_and_other_weights_are_not():
    copies = Duplicates.of(np.array([[0.0], [1.0], [0.0]]), np.zeros(3, dtype=int))
    twin, single = copies.which[[0, 1]]
    for weight, units in [([1, 4, 2], (3, 4)), ([0.5, 1500.2, 2.0], (2, 1)), ([1, 1, 1e30], (2**31, 1))]:
        found = copies.units(np.array(weight, dtype=float))
        assert (found[twin], found[single]) == units


def test_first_occurrences_stand_in_the_order_of_the_rows():
    keys = np.array([7, 3, 7, 9, 3])
    first, which = first_occurrences(keys)
    assert_array_equal(first, [0, 1, 3])
    assert_array_equal(keys[first][which], keys)


def test_a_sample_has_two_rows_of_every_class_that_has_two():
    rng = np.random.default_rng(0)
    keys, y = rng.integers(2**63, size=500), np.r_[np.zeros(480, int), np.ones(17, int), [2, 2, 3]]
    chosen = sample_rows(keys, y, 60)
    counts = np.bincount(y[chosen])
    assert counts[2] == 2
    assert counts[3] == 1
    assert 60 <= len(chosen) <= 65
    order = rng.permutation(500)
    assert_array_equal(np.sort(order[sample_rows(keys[order], y[order], 60)]), chosen)
    assert_array_equal(sample_rows(keys, y, 500), np.arange(500))


def test_rows_with_one_key_are_drawn_together():
    rng = np.random.default_rng(1)
    keys, y = rng.integers(40, size=300), rng.integers(5, size=300)
    for size in (1, 50, 120):
        chosen = sample_rows(keys, y, size)
        assert len(chosen) >= size
        assert_array_equal(chosen, np.flatnonzero(np.isin(keys, keys[chosen])))


def test_distinct_rows_of_a_store_are_counted_up_to_a_number():
    X, y = grid_rows(400)
    weight = np.ones(400)
    distinct = len(Duplicates.of(X, y))
    rows = MemoryRows(X, 7)
    assert count_distinct(rows, y, weight, 1000) == distinct
    assert count_distinct(rows, y, weight, 5) == 5
    weight[(X[0] == X).all(axis=1) & (y == y[0])] = 0
    assert count_distinct(rows, y, weight, 1000) == distinct - 1
