"""Scores of a pool of kernel logistic functions, each of features on a scale of its own."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.kernels import Kernel, Stationary
from kernelproba.tuning.kernel_logistic.stacked_expansion import stacked_expansion
from kernelproba.tuning.kernel_logistic.uncertainty import UncertainPool
from kernelproba.tuning.scaling import AfterScaling, FeatureScaling
from kernelproba.typing import Matrix, MatrixLike


class PooledFunctions(UncertainPool):
    """Classifier with models, scalers, weights and a temperature: f = Σₖ vₖ fₖ / T.

    `_rows_` says where the rows that the models number stood in the input, None if they number its rows.
    """

    best_estimator_: KernelLogisticRegression
    _rows_: np.ndarray | None

    def _scores(self, X: MatrixLike) -> np.ndarray:
        check_is_fitted(self)
        X = self._check_predict(X)
        if self.best_estimator_._is_precomputed():
            X = X[:, self._rows_]  # columns of the rows that carry weight
        parts = zip(self.weights_, self.scalers_, self.estimators_, strict=True)
        scores = [v * model._scores(_scaled(X, s, model.kernel_)) for v, s, model in parts]
        return np.sum(scores, axis=0) / self.temperature_

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The scores as sums over centres, for `kernelproba.inspection.explain`; X is as `predict` takes it.

        Returns
        -------
        expansions : list of KernelExpansion
            One, of all scores; a training row is a centre of every model of the pool.
        """
        check_is_fitted(self)
        parts = zip(self.weights_, self.scalers_, self.estimators_, strict=True)
        return [stacked_expansion([self._outer_expansion(*part) for part in parts])]

    def _outer_expansion(
        self, weight: float, scaler: FeatureScaling | None, model: KernelLogisticRegression
    ) -> KernelExpansion:
        """Expansion of one model, of rows as `predict` takes them, numbered as in the input of `fit`."""
        (inner,) = model.kernel_expansions()
        factor = weight / self.temperature_
        rows = inner.rows
        if self._rows_ is not None:
            rows = np.where(rows < 0, rows, self._rows_[rows])
        centers = rows if model._is_precomputed() else inner.centers
        kernel = inner.kernel if scaler is None else AfterScaling(inner.kernel, scaler)
        return KernelExpansion(
            kernel, centers, rows, factor * inner.coef, factor * inner.intercept, inner.sides
        )


def _scaled(X: Matrix, scaler: FeatureScaling | None, kernel: Kernel | None) -> Matrix:
    """Rows (n, d) on the scale of a model.

    Scores of a kernel without a bound grow with the row, and so would the rounding of single precision.
    """
    if scaler is None:
        return X
    return scaler.transform(X if isinstance(kernel, Stationary) else X.astype(np.float64, copy=False))
