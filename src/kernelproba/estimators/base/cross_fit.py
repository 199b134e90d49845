"""Probabilities and scores of training rows by fits that have not seen them."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from kernelproba.calibration import HeldOutScores
from kernelproba.decision import label_index
from kernelproba.estimators.base.feature_names import as_table
from kernelproba.estimators.base.training import Training
from kernelproba.rows.duplicates import Duplicates
from kernelproba.rows.folds import unit_folds
from kernelproba.typing import Classifier, CrossValidation, MatrixLike


def fold_clone(estimator: Classifier) -> Classifier:
    """Clone for a part of the rows: a `checkpoint` keeps the stages of the fit to all of them alone."""
    fold = clone(estimator)
    names = (name for name in fold.get_params() if name.rpartition("__")[2] == "checkpoint")
    return fold.set_params(**dict.fromkeys(names))


def fit_folds(
    estimator: Classifier,
    X: MatrixLike,
    y: NDArray,
    *,
    cv: CrossValidation = None,
    fit_params: Mapping[str, object] | None = None,
) -> Iterator[tuple[Classifier, NDArray, MatrixLike]]:
    """Yield for each fold a fitted clone, the numbers of the rows that it has not seen, and these rows.

    Folds are fitted one after the other, or as many at once as ``joblib.parallel_config`` says.

    Parameters
    ----------
    estimator : classifier
        Cloned for each fold.
    X : array-like of shape (n, d), or whatever the estimator reads
        Rows; a precomputed kernel is split on both sides.
    y : ndarray of shape (n,)
        Labels.
    cv : int, splitter or iterable, optional
        Folds as everywhere in scikit-learn.
    fit_params : mapping, optional
        Further arguments of ``fit``; those with one entry per row are divided among the folds.
    """
    try:
        splits = list(check_cv(cv, y, classifier=True).split(X, y))
    except ValueError as error:
        raise ValueError(f"cv={cv!r} does not suit the labels y: {error}") from error
    if not hasattr(X, "__getitem__"):  # folds are drawn row by row
        X = as_table(X)
    tasks = (delayed(_fit_fold)(estimator, X, y, split, dict(fit_params or {})) for split in splits)
    yield from Parallel(return_as="generator")(tasks)


def _fit_fold(
    estimator: Classifier,
    X: MatrixLike,
    y: NDArray,
    split: tuple[NDArray, NDArray],
    fit_params: dict[str, object],
) -> tuple[Classifier, NDArray, MatrixLike]:
    (train, test), fold = split, fold_clone(estimator)
    X_train, y_train = _safe_split(fold, X, y, train)
    X_test, _ = _safe_split(fold, X, y, test, train)
    fold.fit(X_train, y_train, **_check_method_params(X, params=fit_params, indices=train))
    return fold, test, X_test


def held_out_posterior(
    estimator: Classifier,
    X: MatrixLike,
    y: NDArray,
    *,
    cv: CrossValidation = None,
    fit_params: Mapping[str, object] | None = None,
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
    for fold, test, X_test in fit_folds(estimator, X, y, cv=cv, fit_params=fit_params):
        P[np.ix_(test, label_index(fold.classes_, classes))] = fold.predict_proba(X_test)
    return P


def cross_fit_scores(estimator: Classifier, n_folds: int, training: Training) -> HeldOutScores:
    """Return the scores (r, c) of rows by clones of the estimator that have not seen them.

    A row with copies, or with a weight above one, may be held out several times, each time with a part of
    its weight.

    Parameters
    ----------
    estimator : classifier with a parameter `calibration_cv`
        Cloned without its calibration.
    n_folds : int
        Number of folds.
    training : Training
        Checked rows; a square matrix for a precomputed kernel.
    """
    X, y, weight = training.X, training.y, training.weight
    copies = Duplicates.of(X, y)
    plain = clone(estimator).set_params(calibration_cv=None)
    if "class_weight" in plain.get_params():
        plain.set_params(class_weight=None)  # the weights of the rows have it in them
    pairwise = get_tags(estimator).input_tags.pairwise
    rows, total = copies.first, copies.totals(weight)
    parts = []
    units = copies.units(_counts(training.sample_weight, y))
    for fold in unit_folds(copies.keys, y[copies.first], units, n_folds):
        train, test = rows[fold.train], rows[fold.test]
        # Rows and parameters have been checked, and of tiny problems the checks are most of the work.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            model = clone(plain).fit(
                X[train][:, train] if pairwise else X[train], y[train], total[fold.train] * fold.train_share
            )
            scores = score_columns(model.decision_function(X[test][:, train] if pairwise else X[test]))
        parts.append((scores, y[test], total[fold.test] * fold.test_share))
    scores, labels, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return HeldOutScores(scores, labels, weights)


def score_columns(scores: np.ndarray) -> np.ndarray:
    """Return a column for each class: (−f, f) for one score f of two classes."""
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def _counts(weight: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights (n,) without class weights, if they are counts times those: whole multiples of the least."""
    least = np.full(int(y.max()) + 1, np.inf)
    np.minimum.at(least, y, weight)
    ratio = weight / least[y]
    whole = np.rint(ratio)
    as_they_are = (weight == np.rint(weight)).all() or not np.allclose(ratio, whole, rtol=1e-9, atol=0.0)
    return weight if as_they_are else whole
