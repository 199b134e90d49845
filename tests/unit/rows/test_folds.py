"""Folds of observations."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelproba.rows.duplicates import Duplicates
from kernelproba.rows.folds import make_folds, unit_folds


def keyed(rng, n, n_classes=3):
    return rng.integers(2**63, size=n, dtype=np.uint64), rng.integers(n_classes, size=n)


def shares(fold, m):
    """Train and test shares of all rows."""
    train, test = np.zeros(m), np.zeros(m)
    train[fold.train], test[fold.test] = fold.train_share, fold.test_share
    return train, test


def test_every_fold_tests_its_share_of_the_units_of_every_class():
    rng = np.random.default_rng(0)
    keys, y = keyed(rng, 103)
    weight = rng.integers(1, 9, size=103)
    tested = np.array([shares(fold, 103)[1] * weight for fold in unit_folds(keys, y, weight, 5)])
    assert_allclose(tested.sum(axis=0), weight)
    for label in range(3):
        units = tested[:, y == label].sum(axis=1)
        assert np.ptp(units) <= 1
        assert_allclose(units, units.round(), atol=1e-9)
    assert np.ptp(tested.sum(axis=1)) <= 1


def test_folds_with_the_same_contents_are_equal_and_others_are_not():
    keys, y = keyed(np.random.default_rng(2), 40)
    units = np.ones(40, dtype=int)
    once, again = (unit_folds(keys, y, units, 4) for _ in range(2))
    assert once == again
    assert len({*once, *again}) == 4
    assert once[0] != unit_folds(keys, y, 2 * units, 4)[0]
    assert once[0] != "another thing"


def test_labels_drawn_by_lot_at_few_locations_cannot_be_foretold_by_their_frequencies_in_the_other_folds():
    rng = np.random.default_rng(4)
    X, y = np.repeat(np.arange(80.0), 9)[:, None], rng.integers(2, size=720)
    rows, copies = weighed(X, y, np.ones(720))
    place, label = X[copies.first, 0].astype(int), y[copies.first]
    losses = []
    for fold in unit_folds(copies.keys, label, copies.units(rows.sample_weight), 4):
        train, test = (part * copies.units(rows.sample_weight) for part in shares(fold, len(label)))
        count = np.ones((80, 2))
        np.add.at(count, (place, label), train)
        P = count / count.sum(axis=1, keepdims=True)
        losses.append(-test @ np.log(P[place, label]) / test.sum())
    assert np.mean(losses) > np.log(2)


def test_what_is_not_tested_is_trained_on():
    rng = np.random.default_rng(1)
    keys, y = keyed(rng, 40)
    for fold in unit_folds(keys, y, rng.integers(1, 5, size=40), 3):
        train, test = shares(fold, 40)
        assert_allclose(train + test, 1)


def test_a_row_of_one_unit_is_in_one_fold():
    rng = np.random.default_rng(2)
    keys, y = keyed(rng, 50)
    folds = unit_folds(keys, y, np.ones(50, dtype=int), 4)
    assert_array_equal(np.sort(np.concatenate([fold.test for fold in folds])), np.arange(50))
    assert all((fold.test_share == 1).all() for fold in folds)


def test_copies_and_weights_make_the_same_folds_in_any_order():
    rng = np.random.default_rng(3)
    X, y, weight = rng.normal(size=(30, 2)), rng.integers(2, size=30), rng.integers(1, 6, size=30)
    repeated = rng.permutation(np.repeat(np.arange(30), weight))
    one = make_folds(4, X, y, *weighed(X, y, weight.astype(float)))
    X, y = X[repeated], y[repeated]
    other = make_folds(4, X, y, *weighed(X, y, np.ones(len(y))))
    for a, b in zip(one, other, strict=True):
        assert_array_equal(a.train, b.train)
        assert_array_equal(a.test, b.test)
        assert_allclose(a.test_share, b.test_share)
        assert_allclose(a.train_share, b.train_share)


def weighed(X, y, weight):
    return SimpleNamespace(y=y, sample_weight=weight, index=np.arange(len(y))), Duplicates.of(X, y)


def test_huge_weights_are_divided_evenly():
    for fold in unit_folds(np.arange(6, dtype=np.uint64), np.arange(6) % 2, np.full(6, 2**31), 5):
        assert_allclose(fold.test_share, 0.2, rtol=1e-6)


def test_splits_speak_of_rows_as_they_came():
    X, y = np.array([[0.0], [1.0], [0.0], [2.0], [3.0]]), np.array([0, 1, 0, 1, 0])
    rows = SimpleNamespace(y=y[:4], sample_weight=np.array([1.0, 1.0, 3.0, 1.0]), index=np.arange(4))
    copies = Duplicates.of(X[:4], y[:4])
    (fold,) = make_folds([([0, 1, 4], [2, 3])], X, y, rows, copies)
    train, test = shares(fold, 3)
    twin, one, two = copies.which[[0, 1, 3]]
    assert (train[twin], test[twin]) == (0.25, 0.75)
    assert (train[one], test[one]) == (1, 0)
    assert (train[two], test[two]) == (0, 1)


def test_a_class_with_nothing_to_train_on_is_trained_on_as_it_is():
    for fold in unit_folds(np.arange(7, dtype=np.uint64), np.array([0] * 6 + [1]), np.ones(7, dtype=int), 3):
        assert 6 in fold.train
        assert not set(fold.train) & set(fold.test) - {6}


def test_folds_without_rows_are_left_out():
    assert len(unit_folds(np.arange(3, dtype=np.uint64), np.array([0, 1, 1]), np.ones(3, dtype=int), 10)) == 3


@pytest.mark.parametrize("cv", [1, 6])
def test_one_fold_is_refused_and_more_folds_than_observations(cv):
    with pytest.raises(ValueError, match="cv"):
        make_folds(cv, None, np.array([0, 1]), *weighed(np.eye(2), np.array([0, 1]), np.ones(2)))


def test_weights_make_no_more_folds_than_anyone_can_fit():
    y, weight = np.array([0, 0, 1, 1]), np.array([1e30, 1.0, 1.0, 1.0])
    rows = SimpleNamespace(y=y, sample_weight=weight, index=np.arange(4))
    with pytest.raises(ValueError, match=r"cv=1000 is more folds than there are rows, 4"):
        make_folds(1000, None, y, rows, Duplicates.of(np.arange(4.0)[:, None], y))
