"""What classifiers by Bayes' rule on kernel densities share: priors, kernels, log-domain posteriors."""

import numpy as np
from scipy.special import log_softmax
from sklearn.utils.validation import check_is_fitted

from kernelproba.decision import as_priors, class_priors
from kernelproba.decision.priors import PriorsLike
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.kernel_expansion import BLOCK_VALUES
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.estimators.base.training import Training
from kernelproba.number_range import LOG_ZERO, log_probabilities
from kernelproba.rows.store import as_rows
from kernelproba.typing import MatrixLike


class DensityMachine(KernelMachine):
    """Classifier with the posterior p(j|x) ∝ P_j q_j(x), q_j ≥ 0 a sum of kernels at rows of class j.

    Subclasses have the constructor parameter `priors`, and give `_log_fields`.
    """

    priors: PriorsLike
    priors_: np.ndarray

    def _check_priors(self, training: Training) -> np.ndarray:
        """Return the priors (c,) that the parameter stands for."""
        if self.priors is None:
            return class_priors(training.y, len(self.classes_), training.weight)
        return as_priors(self.priors, self.classes_)

    def _log_fields(self, X: MatrixLike) -> np.ndarray:
        """Return log P_j q_j(x) (n, c) of checked rows."""
        raise NotImplementedError

    def _all_log_fields(self, X: MatrixLike, n_centers: int) -> np.ndarray:
        check_is_fitted(self)
        X = self._check_predict(X)
        return as_rows(X, block_rows=max(1, BLOCK_VALUES // max(n_centers, 1))).map(self._log_fields)

    @by_rows
    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
        """Logarithm of the class probabilities, free of underflow.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        log_P : ndarray of shape (n, c)
            log of `predict_proba`; the log priors where every density is beyond floating point, and −1e300
            for a class whose density or prior is 0.
        """
        check_is_fitted(self)
        log_F = self._all_log_fields(X, len(self.support_))
        nowhere = log_F.max(axis=1) <= LOG_ZERO / 2
        log_F[nowhere] = log_probabilities(self.priors_)
        return np.maximum(log_softmax(log_F, axis=1), LOG_ZERO)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self._is_precomputed()
        return tags


def refuse_negative(K: np.ndarray) -> np.ndarray:
    """Return a kernel matrix, or say that its kernel cannot be a density."""
    if K.min(initial=0.0) < 0:
        raise ValueError(
            "Negative values in data passed to the densities: sums of this kernel are none. Choose a kernel "
            "that is nowhere negative, such as 'rbf', 'laplacian' or 'matern'."
        )
    return K
