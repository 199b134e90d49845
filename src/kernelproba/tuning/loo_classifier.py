"""Classifiers that keep what they would say of every training row if they had not seen it."""

import numpy as np
from sklearn.utils.validation import _num_samples

from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.estimators.base.training import Training
from kernelproba.scoring import mean_scores
from kernelproba.typing import MatrixLike


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
        self.loo_proba_ = np.empty((n, log_P.shape[1])) if len(index) == n else self.predict_proba(X)
        self.loo_proba_[index] = np.exp(log_P)
        self.loo_label_proba_ = np.full(n, np.nan)
        self.loo_label_proba_[index] = self.loo_proba_[index, y]
