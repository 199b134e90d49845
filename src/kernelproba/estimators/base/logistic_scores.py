"""From linear scores to log-probabilities: what every logistic model shares."""

import numpy as np

from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.class_weights import weight_shift
from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import Training
from kernelproba.losses import loss_for
from kernelproba.typing import MatrixLike


def symmetric_intercept(b: np.ndarray) -> np.ndarray:
    """Intercepts (k,) that sum to zero, or the only one: softmax scores are free up to a constant."""
    return b - b.mean() if len(b) > 1 else b.copy()


class LogisticScores(ProbabilisticClassifier):
    """Methods of a classifier with `_scores`: one log-odds for two classes, one score per class otherwise."""

    intercept_: np.ndarray

    def _scores(self, X: MatrixLike) -> np.ndarray:
        """Scores (n, 1) or (n, c) of unchecked rows; an unfitted model says so."""
        raise NotImplementedError

    def _undo_weights(self, training: Training | StoredTraining, undo: bool | str) -> None:
        """Take what weights have done to the class frequencies out of the intercept, if so asked."""
        self.weight_shift_ = weight_shift(undo, training, len(self.classes_))
        self.intercept_ = self.intercept_ - self._score_shift()

    def _score_shift(self) -> np.ndarray:
        """`weight_shift_` in terms of scores, (1,) or (c,)."""
        shift = self.weight_shift_
        return shift if len(shift) > 2 else shift[1:] - shift[:1]

    @by_rows
    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Scores: log-odds of `classes_[1]` for two classes, unnormalised log-probabilities otherwise.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        F : ndarray of shape (n,) or (n, c)
            Scores without the normalisation that `predict_log_proba` adds.
        """
        F = self._scores(X)
        return F[:, 0] if F.shape[1] == 1 else F

    @by_rows
    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
        """Logarithm of the class probabilities, as finite as the scores are.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        log_P : ndarray of shape (n, c)
            log of `predict_proba`, without its underflow.
        """
        F = self._scores(X)
        return loss_for(len(self.classes_)).log_probabilities(F)
