"""Where the posteriors of rows with known labels come from, each by a model that has not seen its row.

===========  =========================================  ==========================  =====================
method       known rows                                 scored by                   new rows scored by
===========  =========================================  ==========================  =====================
``loo``      all rows of ``fit``                        the fit without the row     the fit
``cv+``      all rows of ``fit``                        the fit without its fold    the fits of all folds
``split``    a random part, which the fit is not given  the fit                     the fit
``prefit``   all rows of ``fit``                        the model as it was         the model as it was
===========  =========================================  ==========================  =====================
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import _check_method_params, check_is_fitted

from kernelproba.caller_warning import warn_caller
from kernelproba.decision import label_index, reweight_posterior
from kernelproba.estimators.base.cross_fit import fit_folds
from kernelproba.estimators.prior_shift import PriorShiftClassifier
from kernelproba.typing import Classifier, CrossValidation, MatrixLike, RandomState

METHODS = ("auto", "loo", "cv+", "split", "prefit")
#: Rows from which on it hardly shows that a row had a say in what was tuned before it was left out.
LOO_ROWS = 1000
#: Folds of "cv+" if none are given.
FOLDS = 5


@dataclass(frozen=True)
class Calibration:
    """A fitted classifier and the posteriors of known rows.

    Parameters
    ----------
    estimator : classifier
        Fitted.
    P : array of shape (m, c)
        Posteriors of the known rows, before any change of priors.
    rows : array of shape (m,)
        Which rows of ``fit`` they are.
    method : str
        One of `METHODS` but "auto".
    folds : array of shape (m,)
        Which of `fold_estimators` has not seen the row; zeros where `estimator` scores them all.
    fold_estimators : list of classifiers
        The fits of "cv+", else empty.
    """

    estimator: Classifier
    P: NDArray
    rows: NDArray
    method: str
    folds: NDArray
    fold_estimators: list[Classifier] = field(default_factory=list)

    def at(self, chosen: NDArray) -> "Calibration":
        """Some of the known rows."""
        return replace(self, P=self.P[chosen], rows=self.rows[chosen], folds=self.folds[chosen])


@dataclass(frozen=True)
class CalibrationRows:
    """What ``fit`` was given, and how it is to be divided.

    Parameters
    ----------
    X, y : rows and labels (n,)
        As checked.
    counted : array of shape (r,)
        Which of them have a positive weight.
    fit_params : mapping
        Further arguments for the ``fit`` of the estimator.
    cv : int, splitter, iterable or None
        Folds of "cv+".
    share : float
        Share of the rows that "split" sets aside.
    by_class : bool
        Whether it does so class by class.
    random_state : int, RandomState or None
        Draws that share.
    """

    X: MatrixLike
    y: NDArray
    counted: NDArray
    fit_params: Mapping[str, object]
    cv: CrossValidation
    share: float
    by_class: bool
    random_state: RandomState


def posterior_source(estimator: Classifier) -> Classifier:
    """Return the classifier whose posterior a `PriorShiftClassifier` changes, or the estimator itself."""
    if not isinstance(estimator, PriorShiftClassifier):
        return estimator
    return getattr(estimator, "estimator_", estimator.estimator)


def prior_ratio(estimator: Classifier) -> NDArray[np.float64]:
    """Return π'_y/π_y (c,) of a fitted `PriorShiftClassifier`; ones for any other."""
    if not isinstance(estimator, PriorShiftClassifier):
        return np.ones(len(estimator.classes_))
    old, new = estimator.train_priors_, estimator.priors_
    return np.divide(new, old, out=np.zeros(len(new)), where=old > 0)


def under_new_priors(P: NDArray, estimator: Classifier) -> NDArray[np.float64]:
    """Return the posterior P (n, c) as a fitted `PriorShiftClassifier` changes it; P itself for any other."""
    if not isinstance(estimator, PriorShiftClassifier):
        return P
    return reweight_posterior(P, estimator.train_priors_, estimator.priors_)


def calibrate(estimator: Classifier, rows: CalibrationRows, method: str) -> Calibration:
    """Fit a clone of the estimator, if it is to be fitted, and score known rows by one of `METHODS`."""
    frozen = isinstance(posterior_source(estimator), FrozenEstimator)
    if method == "prefit" or (method == "auto" and frozen):
        return _prefit(estimator, rows, frozen)
    if method == "split":
        if frozen:
            raise ValueError(
                "method='split' fits on a part of the rows, and a frozen estimator is not fitted: give rows "
                "that it has not seen and use method='prefit', or 'cv+' with those of its fit"
            )
        return _split(estimator, rows)
    fitted = clone(estimator).fit(rows.X, rows.y, **rows.fit_params)
    if method == "auto":
        method = "loo" if _loo_serves(posterior_source(fitted), rows) else "cv+"
    elif method == "loo":
        _warn_of_seen_labels(posterior_source(fitted), rows)
    return _leave_one_out(fitted, rows.y) if method == "loo" else _cross_validate(fitted, rows)


def _prefit(estimator: Classifier, rows: CalibrationRows, frozen: bool) -> Calibration:
    if frozen:
        fitted = clone(estimator).fit(rows.X, rows.y, **rows.fit_params)
    else:
        check_is_fitted(
            estimator,
            msg="method='prefit' needs a fitted estimator, best inside sklearn.frozen.FrozenEstimator.",
        )
        fitted = estimator
    source = posterior_source(fitted)
    if _are_training_rows(source, rows.y):
        raise ValueError(
            "these are the rows that the estimator was fitted on: give others, or use method='loo', which "
            "needs no further fit"
        )
    n = len(rows.y)
    return Calibration(fitted, source.predict_proba(rows.X), np.arange(n), "prefit", np.zeros(n, dtype=int))


def _are_training_rows(model: Classifier, y: NDArray) -> bool:
    """Whether a self-tuning classifier has kept the leave-one-out probabilities of just these labels."""
    P, own = (getattr(model, name, None) for name in ("loo_proba_", "loo_label_proba_"))
    if P is None or own is None or len(P) != len(y) or not np.isin(y, model.classes_).all():
        return False
    P, own = np.asarray(P), np.asarray(own)
    counted = np.flatnonzero(~np.isnan(own))
    return np.array_equal(P[counted, label_index(y, model.classes_)[counted]], own[counted])


def _split(estimator: Classifier, rows: CalibrationRows) -> Calibration:
    _refuse_kernel_matrix(estimator, "split")
    # The theorem wants rows drawn from all; a guarantee per class wants rows of each.
    kind = StratifiedShuffleSplit if rows.by_class else ShuffleSplit
    cut = kind(1, test_size=rows.share, random_state=rows.random_state)
    train, known = (rows.counted[part] for part in next(cut.split(rows.counted, rows.y[rows.counted])))
    params = _check_method_params(rows.X, params=dict(rows.fit_params), indices=train)
    fitted = clone(estimator).fit(_safe_indexing(rows.X, train), rows.y[train], **params)
    P = posterior_source(fitted).predict_proba(_safe_indexing(rows.X, known))
    return Calibration(fitted, P, known, "split", np.zeros(len(known), dtype=int))


def _loo_serves(model: Classifier, rows: CalibrationRows) -> bool:
    """Whether leave-one-out is there, and of enough rows; those of a kernel matrix cannot be divided."""
    enough = len(rows.counted) >= LOO_ROWS and not _has_counts(rows)
    return _keeps_loo(model) and (enough or get_tags(model).input_tags.pairwise)


def _warn_of_seen_labels(model: Classifier, rows: CalibrationRows) -> None:
    """Tell where leave-one-out, which was asked for, judges labels by what has seen them."""
    if _has_counts(rows):
        warn_caller(
            "whole weights are numbers of observations, of which leave-one-out leaves out one: unless rows "
            "were seen so often, labels are judged by fits that have seen them, and method='cv+' is right"
        )
    if isinstance(model, Pipeline) and hasattr(model[-1], "loo_proba_") and not _keeps_loo(model):
        warn_caller(
            "steps of the pipeline may have seen the labels that leave-one-out leaves out of its last step "
            "alone: sets may hold the truth too rarely, and method='cv+' is right"
        )


def _has_counts(rows: CalibrationRows) -> bool:
    """Whether weights are whole numbers, and some two or more: copies of a row stay where it is left out."""
    weights = np.asarray(rows.fit_params.get("sample_weight", 1.0), dtype=np.float64)
    return bool((weights == np.round(weights)).all() and (weights >= 2).any())


def _keeps_loo(model: Classifier) -> bool:
    """Whether a fitted classifier, or the end of a pipeline without steps that see labels, has them."""
    if isinstance(model, Pipeline):
        return hasattr(model[-1], "loo_proba_") and not any(
            _sees_labels(step) for _, step in model.steps[:-1]
        )
    return hasattr(model, "loo_proba_")


def _sees_labels(step: object) -> bool:
    """Whether a transformer, or one inside it, may learn from labels, also from that of a row left out."""
    if not isinstance(step, BaseEstimator):
        return False  # "passthrough"
    inside = [part for part in step.get_params().values() if isinstance(part, BaseEstimator)]
    # A selector may do without labels, but most do not.
    return any(
        get_tags(part).target_tags.required or isinstance(part, SelectorMixin) for part in [step, *inside]
    )


def _leave_one_out(fitted: Classifier, y: NDArray) -> Calibration:
    n, source = len(y), posterior_source(fitted)
    last = source[-1] if isinstance(source, Pipeline) else source
    if not hasattr(last, "loo_proba_"):
        raise ValueError(
            f"method='loo' needs a classifier with loo_proba_, such as KernelLogisticRegressionCV; {last!r} "
            "has none: use method='cv+'"
        )
    if len(last.loo_proba_) != n:
        raise ValueError(
            f"method='loo' wants the {len(last.loo_proba_)} rows that the estimator was fitted on, got {n}: "
            "use method='prefit' for other rows"
        )
    if hasattr(last, "loo_label_proba_") and not _are_training_rows(last, y):
        raise ValueError(
            "method='loo' wants the rows that the estimator was fitted on, in their order, and these labels "
            "are others: use method='prefit' for other rows"
        )
    return Calibration(fitted, last.loo_proba_, np.arange(n), "loo", np.zeros(n, dtype=int))


def _cross_validate(fitted: Classifier, rows: CalibrationRows) -> Calibration:
    source = posterior_source(fitted)
    _refuse_kernel_matrix(source, "cv+")
    # A frozen fit is kept; its folds are fitted like it.
    template = source.estimator if isinstance(source, FrozenEstimator) else source
    cv = rows.cv
    if cv is None:
        # Rows of weight zero are as if absent: they have no part in how the others are divided.
        cv = [(rows.counted[a], rows.counted[b]) for a, b in shuffled_folds(rows.y[rows.counted])]
    models, numbers, posteriors, folds = [], [], [], []
    for k, (model, test, X_test) in enumerate(
        fit_folds(template, rows.X, rows.y, cv=cv, fit_params=rows.fit_params)
    ):
        models.append(model)
        numbers.append(test)
        posteriors.append(posterior_of(model, X_test, source.classes_))
        folds.append(np.full(len(test), k))
    known = np.concatenate(numbers)
    if len(np.unique(known)) < len(known):
        raise ValueError("cv puts rows into several test folds; method='cv+' wants each in one at most")
    return Calibration(fitted, np.concatenate(posteriors), known, "cv+", np.concatenate(folds), models)


def shuffled_folds(y: NDArray) -> list[tuple[NDArray, NDArray]]:
    """Return training and test rows of stratified folds, the same for the same labels y (n,).

    Rows may come in the order of a feature, and new rows will not: folds of neighbours would be harder to
    predict than new rows are.
    """
    n_folds = min(FOLDS, int(np.unique(y, return_counts=True)[1].max()))
    if n_folds < 2:
        raise ValueError("method='cv+' needs two rows of a class at least: every label in y is another one")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(np.zeros(len(y)), y))


def posterior_of(model: Classifier, X: MatrixLike, classes: NDArray) -> NDArray[np.float64]:
    """Return the posterior (n, c) with a column for each of `classes`, 0 for those that a fold lacked."""
    P = model.predict_proba(X)
    if len(model.classes_) == len(classes):
        return P
    whole = np.zeros((len(P), len(classes)))
    whole[:, label_index(model.classes_, classes)] = P
    return whole


def _refuse_kernel_matrix(estimator: Classifier, method: str) -> None:
    if get_tags(estimator).input_tags.pairwise:
        raise ValueError(
            f"method={method!r} divides rows, and the columns of a precomputed kernel belong to them: use "
            "method='loo' or 'prefit'"
        )
