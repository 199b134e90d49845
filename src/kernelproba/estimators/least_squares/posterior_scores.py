"""What a least-squares posterior says of rows: fitted posteriors, and the probabilities that follow."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelproba.calibration import ScoreMap
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.estimators.least_squares.state import LearntPosterior
from kernelproba.estimators.least_squares.streaming import StreamingClassifier
from kernelproba.kernels.expansion import expansion_scores
from kernelproba.typing import MatrixLike


class PosteriorScores(StreamingClassifier, KernelMachine):
    """Methods of a model that has learnt a posterior, `_learnt_`, from rows or blocks of them."""

    _learnt_: LearntPosterior

    @by_rows
    def raw_scores(self, X: MatrixLike) -> np.ndarray:
        """Fitted posteriors q before clipping, calibration and normalisation.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.

        Returns
        -------
        Q : ndarray of shape (n, c)
            May be negative, and near zero far from all centres.
        """
        check_is_fitted(self)
        X = self._check_predict(X)
        blocks, coef = self._learnt_.sums.centers.blocks, self.dual_coef_

        def scores(K):
            Q = np.empty((len(K), len(coef)))
            for block in blocks:
                part = K[:, block.columns].astype(np.float64, copy=False)
                Q[:, block.classes] = expansion_scores(part, coef[block.classes, block.columns].T)
            return Q

        return self._kernel_centers().map(X, scores)

    @by_rows
    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
        """Logarithm of the class probabilities.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        log_P : ndarray of shape (n, c)
            log of `predict_proba`, without its underflow; −1e300 for a clipped class without calibration.
        """
        Q = self.raw_scores(X)
        return self.score_map_.log_probabilities(Q)

    @property
    def dual_coef_(self) -> np.ndarray:  # type: ignore[override]
        """Coefficients (c, m); solves the equations if rows have come since."""
        return self._learnt_.solution().coef

    @property
    def score_map_(self) -> ScoreMap:
        """Map from scores to probabilities."""
        return self._learnt_.solution().score_map

    @property
    def priors_(self) -> np.ndarray:
        """Weighted shares of the classes (c,)."""
        return self._learnt_.prior

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learnt_")
