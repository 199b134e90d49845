"""Probabilities of training rows from fits that have not seen them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params

from kernelproba.decision import label_index


def held_out_posterior(
    estimator: Any,
    X: Any,
    y: NDArray,
    *,
    cv: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    absent: float = 0.0,
) -> NDArray[np.float64]:
    """Return the posterior (n, c) of each row under a clone of the estimator fitted on the other folds.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Cloned for each fold.
    X : array-like of shape (n, d), or whatever the estimator reads
        Rows; a precomputed kernel is split on both sides.
    y : ndarray of shape (n,)
        Labels.
    cv : int, splitter or iterable, optional
        Folds as everywhere in scikit-learn; rows in none of the test folds get `absent` throughout.
    fit_params : mapping, optional
        Further arguments of ``fit``; those with one entry per row are divided among the folds.
    absent : float, default=0.0
        The probability of a class that a fold has no training rows of.

    Returns
    -------
    ndarray of shape (n, c)
        Columns in the order of the sorted labels.
    """
    classes = np.unique(y)
    P = np.full((len(y), len(classes)), absent)
    for train, test in check_cv(cv, y, classifier=True).split(X, y):
        fold = clone(estimator)
        X_train, y_train = _safe_split(fold, X, y, train)
        X_test, _ = _safe_split(fold, X, y, test, train)
        fold.fit(X_train, y_train, **_check_method_params(X, params=dict(fit_params or {}), indices=train))
        P[np.ix_(test, label_index(fold.classes_, classes))] = fold.predict_proba(X_test)
    return P
