"""How good probabilities of held-out rows are: the parameter `scoring` of every search.

By a name of ours, "log_loss", "brier" or "accuracy", or by any scorer of scikit-learn.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring

from kernelproba.scoring import row_brier_scores, row_errors

#: Least logarithm of a probability that counts as it is, see `kernelproba.scoring`.
LOG_EPS = float(np.log(np.finfo(np.float64).eps))
#: Rows of any label that the log loss counts beside those that were seen; of 1, 1/2, 1/4 and 1/10 the third
#: predicts small separable sets best (docs/adr/0008-nothing-to-tune.md).
PSEUDO_ROWS = 0.25

#: A name, or a scorer of scikit-learn.
Scoring: TypeAlias = str | Callable[..., float]
#: Log-probabilities (n, c), class indices and weights (n,), and the number of all rows behind the choice that
#: is to be made → a number, the larger the better.
HeldOutScorer = Callable[[np.ndarray, np.ndarray, np.ndarray, float], float]


def held_out_scorer(scoring: Scoring, classes: np.ndarray) -> HeldOutScorer:
    """Function that judges log-probabilities of rows that a model has not seen.

    Parameters
    ----------
    scoring : str or callable
        "log_loss", see `smoothed_log_likelihood`; "brier" or "accuracy"; or what
        scikit-learn's `check_scoring` takes.
    classes : array of shape (c,)
        Labels.
    """
    if isinstance(scoring, str) and scoring in OWN_SCORERS:
        return OWN_SCORERS[scoring]
    return _scikit_learn_scorer(scoring, classes)


def smoothed_log_likelihood(log_P: np.ndarray, y: np.ndarray, weight: np.ndarray, total: float) -> float:
    """Weighted mean of log p(y), as if a quarter of a row more had been seen, its label any class alike.

    Without it the best model of separable rows is one that is certain of everything; with it, n rows that
    are all right are evidence for probabilities of about 1 − 1/(4n).

    Parameters
    ----------
    log_P : array of shape (r, c)
        Log-probabilities of held-out rows.
    y, weight : arrays of shape (r,)
        Class indices and weights.
    total : float
        n, the number of all rows, of which those held out may be a part.
    """
    share, log_P = weight / weight.sum(), np.maximum(log_P, LOG_EPS)
    seen = share @ log_P[np.arange(len(y)), y]
    return float((total * seen + PSEUDO_ROWS * (share @ log_P.mean(axis=1))) / (total + PSEUDO_ROWS))


def _negative_brier(log_P: np.ndarray, y: np.ndarray, weight: np.ndarray, total: float) -> float:  # noqa: ARG001
    return -float(weight @ row_brier_scores(np.exp(log_P), y) / weight.sum())


def _accuracy(log_P: np.ndarray, y: np.ndarray, weight: np.ndarray, total: float) -> float:  # noqa: ARG001
    return 1 - float(weight @ row_errors(log_P, y) / weight.sum())


OWN_SCORERS: dict[str, HeldOutScorer] = {
    "log_loss": smoothed_log_likelihood,
    "brier": _negative_brier,
    "accuracy": _accuracy,
}


class _KnownPosterior(ClassifierMixin, BaseEstimator):
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


def _scikit_learn_scorer(scoring: Scoring, classes: np.ndarray) -> HeldOutScorer:
    scorer = check_scoring(_KnownPosterior(np.zeros((1, len(classes))), classes), scoring)

    def score(log_P: np.ndarray, y: np.ndarray, weight: np.ndarray, _: float) -> float:
        rows = np.arange(len(y))[:, None]
        # Not every metric knows weights: they are passed only where they say something.
        weights = {} if np.ptp(weight) == 0 else {"sample_weight": weight}
        return float(scorer(_KnownPosterior(log_P, classes), rows, classes[y], **weights))

    return score
