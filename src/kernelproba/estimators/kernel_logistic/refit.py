"""The same centres fitted to other weights of the same rows, or with another C."""

from copy import copy

import numpy as np

from kernelproba.estimators.base.callbacks import Step, unobserved
from kernelproba.estimators.base.logistic_scores import symmetric_intercept
from kernelproba.estimators.kernel_logistic.centers import CenteredProblem, fit_centers
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic.exact import Options
from kernelproba.rows.protocol import Rows


def refit_centers(
    model: KernelLogisticRegression,
    rows: Rows,
    y: np.ndarray,
    weight: np.ndarray,
    *,
    C: float | None = None,
    step: Step = unobserved,
) -> KernelLogisticRegression:
    """Return a copy of a model with chosen centres, fitted anew from where its own fit has ended.

    Parameters
    ----------
    model : KernelLogisticRegression
        Fitted, with fewer centres than rows and without `undo_weights`.
    rows, y, weight : Rows of n rows, aligned values
        Rows as the kernel compares them, class indices, and weights with those of the classes.
    C : float, optional
        Another inverse strength of the penalty.
    step : Step
        Context of every pass.
    """
    fitted = copy(model)
    fitted.C = model.C if C is None else C
    centers, c = (model.support_vectors_, model.support_), len(model.classes_)
    problem = CenteredProblem(model.kernel_, *centers, rows, y, fitted.C * weight, c)
    options = Options(model.solver, model.tol, model.max_iter, model.fit_intercept, step)
    start = np.vstack([model.dual_coef_.T, model.intercept_]) if model.fit_intercept else model.dual_coef_.T
    function = fit_centers(problem, options, model._memory_plan(), model.random_state, start)
    fitted.dual_coef_ = np.ascontiguousarray(function.dual.T)
    fitted.intercept_ = symmetric_intercept(function.intercept)
    fitted._report([function.solution])
    return fitted
