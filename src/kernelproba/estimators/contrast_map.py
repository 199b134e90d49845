"""A calibrated map from contrasts to probabilities."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_softmax, softmax
from sklearn.base import clone

from ..rows.folds import content_folds, training_rows
from .classifier import Training

#: Contrasts that separate the classes would be worth an infinite slope.
MAX_SLOPE = 2.0**20


@dataclass(frozen=True)
class ContrastMap:
    """p(j|x) = softmax_j (slope · C_j(x)), C_j the contrast of x if it is in class j.

    One parameter, so that the most probable class is the one of positive contrast.

    Parameters
    ----------
    slope : float
        ≥ 0.
    """

    slope: float

    def log_probabilities(self, contrasts: np.ndarray) -> np.ndarray:
        """Return log p (n, c) of contrasts (n, c)."""
        return log_softmax(self.slope * contrasts, axis=1)


def fit_map(contrasts: np.ndarray, y: np.ndarray, weight: np.ndarray) -> ContrastMap:
    """Fit a map by the log loss against Platt's softened targets.

    The target of a row is (n_j + 1)/(n_j + c) for its class j and 1/(n_j + c) for the others, which keeps
    the slope finite where contrasts separate the classes.

    Parameters
    ----------
    contrasts : array of shape (n, c)
        C, of rows that the model has not seen.
    y, weight : arrays of shape (n,)
        Class indices and weights.
    """
    c = contrasts.shape[1]
    mass = np.bincount(y, weights=weight, minlength=c)[y][:, np.newaxis]
    targets = np.where(y[:, np.newaxis] == np.arange(c), mass + 1, 1) / (mass + c)
    share = (weight / weight.sum())[:, np.newaxis]

    def derivative(slope):
        return (share * (softmax(slope * contrasts, axis=1) - targets) * contrasts).sum()

    if derivative(0.0) >= 0:  # worse than guessing
        return ContrastMap(0.0)
    upper = 1.0
    while derivative(upper) < 0 and upper < MAX_SLOPE:
        upper *= 2
    return ContrastMap(float(brentq(derivative, 0.0, upper)) if derivative(upper) > 0 else upper)


def held_out_contrasts(estimator: Any, n_folds: int, training: Training) -> np.ndarray:
    """Return the contrasts (n, c) of rows by clones of the estimator that have not seen them.

    Parameters
    ----------
    estimator : classifier with a parameter `calibration`
        Cloned without its calibration.
    n_folds : int
        Number of folds.
    training : Training
        Checked rows; a square matrix for a precomputed kernel.
    """
    X, y, weight = training.X, training.y, training.weight
    folds = content_folds(X, y, n_folds)
    plain = clone(estimator).set_params(calibration=None)
    pairwise = estimator.__sklearn_tags__().input_tags.pairwise
    contrasts = np.empty((len(y), int(y.max()) + 1))
    for fold in np.unique(folds):
        test = np.flatnonzero(folds == fold)
        train = training_rows(folds, fold, y)
        model = clone(plain).fit(X[train][:, train] if pairwise else X[train], y[train], weight[train])
        contrasts[test] = class_contrasts(model, X[test][:, train] if pairwise else X[test])
    return contrasts


def class_contrasts(model: Any, X: Any) -> np.ndarray:
    """Return the contrast (n, c) that each row has in each class."""
    D = model.decision_function(X)
    return np.clip(np.column_stack([-D, D]) if D.ndim == 1 else D, -1, 1)
