"""Folds by content."""

import numpy as np
from numpy.testing import assert_array_equal

from kernelproba.rows.folds import content_folds, training_rows


def test_every_fold_has_its_share_of_every_class():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(103, 2)), rng.integers(3, size=103)
    folds = content_folds(X, y, 5)
    for label in range(3):
        counts = np.bincount(folds[y == label], minlength=5)
        assert counts.max() - counts.min() <= 1
    assert np.ptp(np.bincount(folds)) <= 1


def test_order_does_not_matter_and_identical_rows_stay_together():
    rng = np.random.default_rng(0)
    X, y = rng.integers(4, size=(60, 2)).astype(float), rng.integers(2, size=60)
    folds, order = content_folds(X, y, 4), rng.permutation(60)
    assert_array_equal(content_folds(X[order], y[order], 4), folds[order])
    for row in np.unique(np.c_[X, y], axis=0):
        assert len(set(folds[(np.c_[X, y] == row).all(axis=1)])) == 1


def test_a_class_that_is_in_one_fold_only_is_always_trained_on():
    X, y = np.arange(7.0)[:, None], np.array([0, 0, 0, 0, 0, 0, 1])
    folds = content_folds(X, y, 3)
    for fold in range(3):
        train = training_rows(folds, fold, y)
        assert 6 in train
        assert set(y[train]) == {0, 1}
        assert not set(train) & set(np.flatnonzero((folds == fold) & (y == 0)))
