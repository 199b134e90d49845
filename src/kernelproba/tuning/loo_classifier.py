"""Classifiers that keep what they would say of every training row if they had not seen it."""

import numpy as np
from sklearn.utils.validation import _num_samples

from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.estimators.base.training import Training
from kernelproba.rows.cluster import is_dask
from kernelproba.rows.store import as_rows
from kernelproba.scoring import mean_scores, score_sums, scores_of_sums
from kernelproba.typing import MatrixLike

#: Rows that are scored at a time.
BLOCK_ROWS = 2**16


class LooProbabilities(ProbabilisticClassifier):
    """Classifier with leave-one-out probabilities of its training rows, `loo_proba_`, and what follows.

    `fit` ends with `_store_loo`.
    """

    loo_proba_: np.ndarray
    loo_label_proba_: np.ndarray
    loo_scores_: dict[str, float]

    def _store_loo(self, X: MatrixLike, given: Training, log_P: np.ndarray) -> None:
        """Keep the probabilities of all rows, and how good they are.

        Parameters
        ----------
        X : array of n rows
            What `fit` was given.
        given : Training
            Those rows of it that carry weight; the others, which the model has not seen, are predicted.
        log_P : array of shape (len(given.y), c)
            Log-probabilities of the rows that carry weight, each by the model without it.
        """
        n, index, y = _num_samples(X), given.index, given.y
        self.loo_scores_ = mean_scores(np.exp(log_P), y, given.sample_weight)
        whole = len(index) == n
        self.loo_proba_ = np.empty((n, log_P.shape[1])) if whole else np.asarray(self.predict_proba(X))
        self.loo_proba_[index] = np.exp(log_P)
        self.loo_label_proba_ = np.full(n, np.nan)
        self.loo_label_proba_[index] = self.loo_proba_[index, y]

    def _store_stored_loo(self, P: np.ndarray, y: np.ndarray, weight: np.ndarray) -> None:
        """Keep probabilities of rows in a store, lazy if those of the store are.

        Parameters
        ----------
        P : array of shape (n, c)
            Probabilities of all rows, each by a model without it.
        y, weight : aligned values of n rows
            Class indices, and weights of the user.
        """
        rows = as_rows(P, block_rows=BLOCK_ROWS)
        self.loo_scores_ = scores_of_sums(rows.fold(score_sums, y, weight))
        self.loo_proba_ = P
        self.loo_label_proba_ = rows.map(_label_probability, y, weight)

    def __getstate__(self) -> dict[str, object]:
        """Leave out what only a cluster can compute."""
        state = super().__getstate__()
        lazy = [name for name in _LAZY if is_dask(state.get(name))]
        return {name: value for name, value in state.items() if name not in lazy}


#: Attributes that are lazy where the rows were.
_LAZY = ("loo_proba_", "loo_label_proba_")


def _label_probability(P: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Probability (n,) of the own label; NaN for rows of weight zero."""
    return np.where(weight > 0, P[np.arange(len(y)), y], np.nan)
