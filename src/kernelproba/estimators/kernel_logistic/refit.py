"""The same centres fitted to other weights of the same rows, or with another C."""

from copy import copy

import numpy as np

from kernelproba.estimators.base.callbacks import Step, unobserved
from kernelproba.estimators.base.logistic_scores import symmetric_intercept
from kernelproba.estimators.kernel_logistic.center_levels import CenteredProblem
from kernelproba.estimators.kernel_logistic.centers import CenterRefits
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic.exact import Options
from kernelproba.rows.protocol import Rows


class Refits:
    """Copies of a model with chosen centres, each fitted anew from where the model's own fit has ended.

    Parameters
    ----------
    model : KernelLogisticRegression
        Fitted, with fewer centres than rows and without `undo_weights`.
    rows, y, weight : Rows of n rows, aligned values
        Rows as the kernel compares them, class indices, and weights with those of the classes as each of the
        fits has in the mean.
    C : float, optional
        Another inverse strength of the penalty.
    """

    def __init__(
        self,
        model: KernelLogisticRegression,
        rows: Rows,
        y: np.ndarray,
        weight: np.ndarray,
        C: float | None = None,
    ):
        self.model, self.C = model, model.C if C is None else C
        centers, c = (model.support_vectors_, model.support_), len(model.classes_)
        problem = CenteredProblem(model.kernel_, *centers, rows, y, self.C * weight, c)
        options = Options(model.solver, model.tol, model.max_iter, model.fit_intercept)
        start = model.dual_coef_.T
        if model.fit_intercept:
            start = np.vstack([start, model.intercept_])
        self._fits = CenterRefits(problem, options, model._memory_plan(), model.random_state, start)

    def to(self, weight: np.ndarray, step: Step = unobserved) -> KernelLogisticRegression:
        """The copy fitted to these weights (n,); `step` is the context of every pass."""
        fitted = copy(self.model)
        fitted.C = self.C
        function = self._fits.fit(self.C * weight, step)
        fitted.dual_coef_ = np.ascontiguousarray(function.dual.T)
        fitted.intercept_ = symmetric_intercept(function.intercept)
        fitted._report([function.solution])
        return fitted
