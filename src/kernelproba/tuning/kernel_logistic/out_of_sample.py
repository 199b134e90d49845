"""Predictions of every training row by the chosen model without it.

Leave-one-out needs a low rank that describes the kernel matrix and, for softmax, up to 2 k n³ operations.
Where the kernel is too narrow, that is dearer than some fits, the fit is saturated, or features were weighed,
four folds give them by fits without a quarter of the observations, ten where rows, or rows of a class, are
few.  Weights of features are then those that were learned without the quarter of the row; fits without a
twelfth of the rows take them from there.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.base import clone

from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.rows.folds import Fold
from kernelproba.tuning.kernel_logistic.candidates import (
    MAX_RANK,
    HeldOutPrediction,
    joined,
)
from kernelproba.tuning.observations import Observations

if TYPE_CHECKING:
    from kernelproba.tuning.kernel_logistic.stages import SelectedModel

#: Operations that leave-one-out may take, with one score and with one for each class.
BINARY_OPERATIONS, SOFTMAX_OPERATIONS = 5e9, 1.2e9
#: Rows, and rows for each class, up to which there are ten folds where it may not, else four.
FEW_ROWS, FEW_CLASS_ROWS = 450, 80


class OutOfSample(NamedTuple):
    """Log-probabilities (m, c) of all distinct rows, where they come from, and whether all fits converged."""

    log_P: np.ndarray
    method: str
    converged: bool


def loo_predictions(model: KernelLogisticRegression, selected: "SelectedModel") -> OutOfSample | None:
    """Predict every row without one of its observations, in closed form; None where that does not hold."""
    fits = selected.fits
    if not _allows_loo(model, selected):
        return None
    F = model._scores(fits.rows.X)
    log_P = fits.loo_log_probabilities(selected.best.gamma, model.C, F)
    return None if log_P is None else OutOfSample(log_P, "leave-one-out", True)


def _allows_loo(model: KernelLogisticRegression, selected: "SelectedModel") -> bool:
    """Whether leave-one-out is cheap, describes the kernel, and is honest: weights have seen the rows."""
    rows, fits = selected.fits.rows, selected.fits
    if not _spans_all_rows(model, rows) or (selected.weighed and selected.weighed.cross_validated):
        return False
    k, gamma = rows.n_scores, selected.best.gamma
    if not loo_is_cheap(len(rows), k):
        return False
    return fits.is_exact(gamma, k) or fits.low_rank(gamma).rest.max(initial=0.0) <= fits.rank_tolerance(
        model.C
    )


def out_of_sample(
    models: Sequence[KernelLogisticRegression], selected: Sequence["SelectedModel"]
) -> list[OutOfSample]:
    """Predictions by every model of a pool: leave-one-out if it holds for all of them, else folds."""
    pairs = list(zip(models, selected, strict=True))
    found: list[OutOfSample] = []
    for pair in pairs:
        if (left_out := loo_predictions(*pair)) is None:
            return [fold_predictions(*each) for each in pairs]
        found.append(left_out)
    return found


def fold_predictions(model: KernelLogisticRegression, selected: "SelectedModel") -> OutOfSample:
    """Predict every row by fits to the folds that lack it."""
    fits, weighed = selected.fits, selected.weighed
    few, folds = _is_few(fits.rows), fits.quarters
    parts: Iterable[HeldOutPrediction]
    if weighed is not None and weighed.cross_validated is not None:
        folds = fits.twelfths if few else folds
        F = model._scores(fits.rows.X)
        parts = weighed.cross_validated.held_out(weighed.gamma_factor, model.C, folds, F)
    else:
        folds = fits.refit_folds if few else folds
        if _spans_all_rows(model, fits.rows):
            fits.known_scores.add(None, (selected.best.gamma, model.C), model._scores(fits.rows.X))
            parts = fits.held_out(selected.best.gamma, model.C, folds)
        else:
            parts = (_refitted(model, fits.rows, fold) for fold in folds)
    whole = joined(parts, folds, fits.rows)
    return OutOfSample(whole.log_P, "folds", whole.converged)


def _is_few(rows: Observations) -> bool:
    """Whether a quarter of the rows would be missed, and the fits to nine tenths of them cost little more."""
    return len(rows) <= max(FEW_ROWS, FEW_CLASS_ROWS * rows.n_scores)


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
