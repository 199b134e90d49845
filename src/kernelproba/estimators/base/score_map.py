"""A calibrated map from scores, such as contrasts, to probabilities."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_softmax, softmax
from sklearn.base import clone

from kernelproba.estimators.base.classifier import Training
from kernelproba.rows.folds import content_folds, training_rows

#: Scores that separate the classes would be worth an infinite slope.
MAX_SLOPE = 2.0**20


@dataclass(frozen=True)
class ScoreMap:
    """p(j|x) = softmax_j (slope · f_j(x)): one parameter, so that the best score is the most probable class.

    Parameters
    ----------
    slope : float
        ≥ 0.
    """

    slope: float

    def log_probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Return log p (n, c) of scores (n, c)."""
        return log_softmax(self.slope * scores, axis=1)


def fit_map(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> ScoreMap:
    """Fit a map by the log loss against Platt's softened targets.

    The target of a row is (n_j + 1)/(n_j + c) for its class j and 1/(n_j + c) for the others, which keeps
    the slope finite where scores separate the classes.

    Parameters
    ----------
    scores : array of shape (n, c)
        f, of rows that the model has not seen.
    y, weight : arrays of shape (n,)
        Class indices and weights.
    """
    c = scores.shape[1]
    mass = np.bincount(y, weights=weight, minlength=c)[y][:, np.newaxis]
    targets = np.where(y[:, np.newaxis] == np.arange(c), mass + 1, 1) / (mass + c)
    share = (weight / weight.sum())[:, np.newaxis]

    def derivative(slope):
        return (share * (softmax(slope * scores, axis=1) - targets) * scores).sum()

    if derivative(0.0) >= 0:  # worse than guessing
        return ScoreMap(0.0)
    upper = 1.0
    while derivative(upper) < 0 and upper < MAX_SLOPE:
        upper *= 2
    return ScoreMap(float(brentq(derivative, 0.0, upper)) if derivative(upper) > 0 else upper)


def held_out_scores(estimator: Any, n_folds: int, training: Training) -> np.ndarray:
    """Return the scores (n, c) of rows by clones of the estimator that have not seen them.

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
    if "class_weight" in plain.get_params():
        plain.set_params(class_weight=None)  # the weights of the rows have it in them
    pairwise = estimator.__sklearn_tags__().input_tags.pairwise
    scores = np.empty((len(y), int(y.max()) + 1))
    for fold in np.unique(folds):
        test = np.flatnonzero(folds == fold)
        train = training_rows(folds, fold, y)
        model = clone(plain).fit(X[train][:, train] if pairwise else X[train], y[train], weight[train])
        scores[test] = score_columns(model.decision_function(X[test][:, train] if pairwise else X[test]))
    return scores


def score_columns(scores: np.ndarray) -> np.ndarray:
    """Return a column for each class: (−f, f) for one score f of two classes."""
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
