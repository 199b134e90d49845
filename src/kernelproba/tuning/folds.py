"""Folds of training rows, as a search asks for them."""

from collections.abc import Iterator
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import check_cv

from kernelproba.estimators.base.classifier import Training
from kernelproba.rows.folds import content_folds


class Fold(NamedTuple):
    """Numbers of the rows to train on and of those to test on."""

    train: np.ndarray
    test: np.ndarray


def make_folds(cv: Any, X: Any, y: Any, training: Training) -> list[Fold]:
    """Folds of the training rows.

    Parameters
    ----------
    cv : int, cross-validation splitter or iterable
        A number makes folds that keep identical rows together.
    X, y : arrays of n rows
        What the user passed, which a splitter speaks of.
    training : Training
        The rows that carry weight.
    """
    if isinstance(cv, Integral):
        return list(_content_folds(int(cv), training))
    return list(_user_folds(cv, X, y, training))


def _content_folds(n_folds: int, training: Training) -> Iterator[Fold]:
    folds = content_folds(training.X, training.y, n_folds)
    return (Fold(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(n_folds))


def _user_folds(cv: Any, X: Any, y: Any, training: Training) -> Iterator[Fold]:
    """Folds as the splitter makes them, without rows of no weight."""
    number = np.full(len(y), -1)
    number[training.index] = np.arange(len(training.index))
    for part in check_cv(cv, y, classifier=True).split(X, y):
        train, test = (number[index] for index in part)
        yield Fold(train[train >= 0], test[test >= 0])


def fold_rows(cv: Any, X: Any, y: Any, training: Training) -> list[Fold]:
    """Split the rows so that every class is trained on.

    Parameters
    ----------
    cv : int, splitter, iterable of splits or None
        A number makes stratified folds that keep identical rows together; None makes five.
    X, y : arrays of n rows
        What the user passed, which a splitter speaks of.
    training : Training
        The rows that carry weight.
    """
    folds = []
    for train, test in make_folds(5 if cv is None else cv, X, y, training):
        absent = np.flatnonzero(~np.isin(training.y, training.y[train]))
        if len(test):
            folds.append(Fold(np.union1d(train, absent), test))
    return folds
