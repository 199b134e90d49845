"""Scores of folds that were held out, for every kernel and penalty of a grid.

Each fold and kernel is one sum over rows, from which the solutions of all penalties follow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone

from kernelproba.calibration import HeldOutScores
from kernelproba.estimators.base.classifier import Training
from kernelproba.estimators.least_squares.estimator import LeastSquaresProbabilisticClassifier
from kernelproba.rows.duplicates import first_occurrences
from kernelproba.rows.row_hash import row_keys
from kernelproba.tuning.folds import Fold
from kernelproba.tuning.scaling import UNSCALED, ScaledView


@dataclass(frozen=True)
class HeldOutTrials:
    """Fits to folds by the models of a grid.

    Parameters
    ----------
    training : Training
        Rows, as the models are to see them.
    folds : sequence of (train, test)
        Numbers of rows.
    n_classes : int
        c.
    model_of : callable
        (alpha, gamma, view) → LeastSquaresProbabilisticClassifier.
    view : ScaledView
        On what scale the rows are.
    """

    training: Training
    folds: Sequence[Fold]
    n_classes: int
    model_of: Callable[[float, float | None, ScaledView], LeastSquaresProbabilisticClassifier]
    view: ScaledView = UNSCALED

    def seen(self, view: ScaledView) -> "HeldOutTrials":
        """The same rows on another scale."""
        return replace(self, training=view.of(self.training), view=view)

    def __call__(self, gammas: Sequence[float | None], alphas: Sequence[float]) -> HeldOutScores:
        """Return scores (g, a, r, c) of all rows that were held out."""
        models = [self.model_of(alphas[0], gamma, self.view) for gamma in gammas]
        return held_out_scores(models, self.training, self.n_classes, alphas, self.folds)


def held_out_scores(
    models: Sequence[LeastSquaresProbabilisticClassifier],
    training: Training,
    n_classes: int,
    alphas: Sequence[float],
    folds: Sequence[Fold],
) -> HeldOutScores:
    """Scores (g, a, r, c) of all rows held out, fold after fold, with class indices and weights (r,).

    Parameters
    ----------
    models : sequence of LeastSquaresProbabilisticClassifier
        One for each kernel.
    training : Training
        All rows.
    n_classes : int
        c.
    alphas : sequence of float
        Penalties.
    folds : sequence of (train, test)
        Numbers of rows.
    """
    distinct = [(train, *_distinct(training, test)) for train, test in folds]
    tests = np.concatenate([test for _, test, _ in distinct])
    Q = np.zeros((len(models), len(alphas), len(tests), n_classes))
    for g, model in enumerate(models):
        start = 0
        for train, test, _ in distinct:
            classes, scores = _fold_scores(clone(model), training, train, test, alphas)
            Q[g, :, start : start + len(test), classes] = np.moveaxis(scores, 2, 0)
            start += len(test)
    return HeldOutScores(Q, training.y[tests], np.concatenate([weight for _, _, weight in distinct]))


def _distinct(training: Training, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows without their copies, and the total weights of each with its copies."""
    first, which = first_occurrences(row_keys(training.X[rows], training.y[rows]))
    return rows[first], np.bincount(which, weights=training.weight[rows], minlength=len(first))


def _fold_scores(model, training: Training, train, test, alphas) -> tuple[np.ndarray, np.ndarray]:
    """Classes (k,) among the training rows, and scores (a, r, k) of the test rows."""
    X_train, X_test = model._take_rows(training.X, train), training.X[test]
    if model._is_precomputed():
        X_test = X_test[:, train]
    model.fit(X_train, training.y[train], training.sample_weight[train])
    K = model.kernel_(X_test, model._centers)
    return model.classes_, np.stack([K @ coef.T for coef in model.path(alphas)])
