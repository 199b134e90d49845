"""Predictions of every training row by the chosen model without it.

Leave-one-out needs a low rank that describes the kernel matrix and, for softmax, up to 2 k n³ operations.
Where the kernel is too narrow, that is dearer than some fits, or features were weighed, four folds give them
by fits without a quarter of the observations.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.base import clone

from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.rows.folds import Fold
from kernelproba.tuning.kernel_logistic.candidates import (
    MAX_RANK,
    HeldOutPrediction,
    log_probabilities,
)
from kernelproba.tuning.observations import Observations

if TYPE_CHECKING:
    from kernelproba.tuning.kernel_logistic.stages import SelectedModel

#: Operations that leave-one-out may take, with one score and with one for each class.
BINARY_OPERATIONS, SOFTMAX_OPERATIONS = 5e9, 1.2e9
FOLDS = 4


class OutOfSample(NamedTuple):
    """Log-probabilities (m, c) of all distinct rows, where they come from, and whether all fits converged."""

    log_P: np.ndarray
    method: str
    converged: bool


def allows_loo(model: KernelLogisticRegression, selected: "SelectedModel") -> bool:
    """Whether leave-one-out is cheap, describes the kernel, and is honest: weights have seen the rows."""
    rows, fits = selected.fits.rows, selected.fits
    if not _spans_all_rows(model, rows) or (selected.weighed and selected.weighed.cross_validated):
        return False
    n, k, gamma = len(rows), rows.n_scores, selected.best.gamma
    described = fits.is_exact(k) or fits.low_rank(gamma).rest.max(initial=0.0) <= fits.rank_tolerance(model.C)
    return loo_is_cheap(n, k) and described


def loo_predictions(model: KernelLogisticRegression, selected: "SelectedModel") -> OutOfSample:
    """Predict every row without one of its observations, in closed form."""
    rows = selected.fits.rows
    F = selected.fits.loo_scores(selected.best.gamma, model.C, model._scores(rows.X))
    return OutOfSample(log_probabilities(F), "leave-one-out", True)


def fold_predictions(model: KernelLogisticRegression, selected: "SelectedModel") -> OutOfSample:
    """Predict every row by fits to the folds that lack it; the observations of a row are averaged."""
    rows = selected.fits.rows
    P, converged = np.zeros((len(rows), rows.n_classes)), True
    for part, share in _parts(model, selected):
        P[part.rows] += share[:, None] * np.exp(part.log_P)
        converged &= part.converged
    P /= P.sum(axis=1, keepdims=True)
    return OutOfSample(np.log(np.maximum(P, np.finfo(float).tiny)), "folds", converged)


def _parts(
    model: KernelLogisticRegression, selected: "SelectedModel"
) -> Iterator[tuple[HeldOutPrediction, np.ndarray]]:
    """Predictions of each fold, and the shares of the rows in it."""
    parts: Iterator[HeldOutPrediction]
    fits, weighed, folds = selected.fits, selected.weighed, selected.fits.rows.folds(FOLDS)
    if not _spans_all_rows(model, fits.rows):
        parts = (_refitted(model, fits.rows, fold) for fold in folds)
    elif weighed is not None and weighed.cross_validated is not None:
        folds = weighed.cross_validated.folds
        parts = weighed.cross_validated.held_out(weighed.gamma_factor, model.C)
    else:
        parts = iter(fits.held_out(selected.best.gamma, model.C, folds))
    return zip(parts, (fold.test_share for fold in folds), strict=True)


def _refitted(model: KernelLogisticRegression, rows: Observations, fold: Fold) -> HeldOutPrediction:
    """Fit a model with centres to a fold, whose kernel matrix would be too large."""
    # The weights of the rows have those of their classes in them.
    part = clone(model).set_params(class_weight=None)
    part.fit(rows.X[fold.train], rows.y[fold.train], rows.weight[fold.train] * fold.train_share)
    log_P = part.predict_log_proba(rows.X[fold.test])
    return HeldOutPrediction(fold.test, log_P, rows.judged_weight[fold.test], True)


def _spans_all_rows(model: KernelLogisticRegression, rows: Observations) -> bool:
    """Whether the function may be any combination of the rows' kernels; few suffice for one of low rank."""
    return rows.precomputed or model._spans_all_rows_


def loo_is_cheap(n: int, k: int) -> bool:
    """Whether leave-one-out of n rows and k scores takes no longer than a few fits, at the largest rank."""
    return loo_operations(n, k, min(n, MAX_RANK)) <= (BINARY_OPERATIONS if k == 1 else SOFTMAX_OPERATIONS)


def loo_operations(n: int, k: int, rank: int) -> float:
    """Operations of leave-one-out of n rows, k scores and a kernel matrix of some rank."""
    return 2.0 * n * rank**2 if k == 1 else float(k * n**2 * min(5 * rank, 2 * n))
