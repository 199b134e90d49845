"""Classifiers that keep what they would say of every training row if they had not seen it."""

from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples, check_is_fitted

from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.estimators.base.training import Training
from kernelproba.scoring import mean_scores


class LeftOutPosterior(ProbabilisticClassifier):
    """Classifier with leave-one-out probabilities of its training rows, `loo_proba_`, and what follows.

    `fit` ends with `_store_left_out`.
    """

    loo_proba_: np.ndarray
    loo_label_proba_: np.ndarray
    loo_scores_: dict[str, float]

    def improbable_rows(self, threshold: float = 0.05) -> np.ndarray:
        """Training rows whose own label the model without them finds improbable, the least probable first.

        Parameters
        ----------
        threshold : float, default=0.05
            Largest leave-one-out probability of the label.

        Returns
        -------
        rows : ndarray of int
            Numbers of rows of the X of `fit`.
        """
        check_is_fitted(self)
        order = np.argsort(self.loo_label_proba_, kind="stable")
        return order[self.loo_label_proba_[order] <= threshold]

    def _store_left_out(self, X: Any, given: Training, log_P: np.ndarray) -> None:
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
