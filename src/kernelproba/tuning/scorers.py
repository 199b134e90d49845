"""How good probabilities of unseen rows are, by a name of ours, a name of scikit-learn's or a scorer."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring

from kernelproba.tuning.grid_scorers import SCORINGS

#: Log-probabilities (n, c), class indices and weights (n,), and the weight of all rows behind the choice that
#: is to be made → a number, the larger the better.
UnseenScore = Callable[[np.ndarray, np.ndarray, np.ndarray, float], float]


def unseen_score(scoring: Any, classes: np.ndarray) -> UnseenScore:
    """Function that judges log-probabilities of rows that a model has not seen.

    Parameters
    ----------
    scoring : str or callable
        "log_loss", see `smoothed_log_likelihood`; "brier" or "accuracy"; or what
        scikit-learn's `check_scoring` takes.
    classes : array of shape (c,)
        Labels.
    """
    if scoring == "log_loss":
        return smoothed_log_likelihood
    if isinstance(scoring, str) and scoring in SCORINGS:
        measure = SCORINGS[scoring]
        return lambda log_P, y, weight, _: float(weight @ measure(np.exp(log_P), y) / weight.sum())
    return _scikit_learn_score(scoring, classes)


def smoothed_log_likelihood(log_P: np.ndarray, y: np.ndarray, weight: np.ndarray, total: float) -> float:
    """Weighted mean of log p(y), as if one row more had been seen, its label any class alike.

    Without that row the best model of separable rows is one that is certain of everything; with it, n rows
    that are all right are evidence for probabilities of about 1 − 1/n.

    Parameters
    ----------
    log_P : array of shape (r, c)
        Log-probabilities of unseen rows.
    y, weight : arrays of shape (r,)
        Class indices and weights.
    total : float
        n, the weight of all rows, of which the unseen ones may be a part.
    """
    share = weight / weight.sum()
    seen = share @ log_P[np.arange(len(y)), y]
    return float((total * seen + share @ log_P.mean(axis=1)) / (total + 1))


class _Known(ClassifierMixin, BaseEstimator):
    """A classifier that has predicted already, for scorers that want to ask one."""

    def __init__(self, log_P, classes):
        self.log_P = log_P
        self.classes = classes

    @property
    def classes_(self) -> np.ndarray:
        return self.classes

    def fit(self, X, y):  # noqa: ARG002 — scorers ask for it
        return self

    def predict_proba(self, X) -> np.ndarray:  # noqa: ARG002
        return np.exp(self.log_P)

    def predict(self, X) -> np.ndarray:  # noqa: ARG002
        return self.classes[self.log_P.argmax(axis=1)]

    def decision_function(self, X) -> np.ndarray:  # noqa: ARG002
        return self.log_P[:, 1] - self.log_P[:, 0] if self.log_P.shape[1] == 2 else self.log_P


def _scikit_learn_score(scoring: Any, classes: np.ndarray) -> UnseenScore:
    scorer = check_scoring(_Known(np.zeros((1, len(classes))), classes), scoring)

    def score(log_P: np.ndarray, y: np.ndarray, weight: np.ndarray, _: float) -> float:
        rows = np.arange(len(y))[:, None]
        # Not every metric knows weights: they are passed only where they say something.
        weights = {} if np.ptp(weight) == 0 else {"sample_weight": weight}
        return float(scorer(_Known(log_P, classes), rows, classes[y], **weights))

    return score
