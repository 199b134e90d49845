"""The same centres fitted to other weights of the same rows, or with another C."""

from copy import copy
from dataclasses import replace

import numpy as np

from kernelproba.estimators.base.callbacks import Step, unobserved
from kernelproba.estimators.base.logistic_scores import symmetric_intercept
from kernelproba.estimators.kernel_logistic.centers import CenteredProblem, fit_progressive_samples
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic.exact import LogisticFunction, Options, fit_centers
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
    Z, c = model.support_vectors_, len(model.classes_)
    function = _refit(fitted, CenteredProblem(model.kernel_, Z, rows, y, fitted.C * weight, c), step)
    fitted.dual_coef_ = np.ascontiguousarray(function.dual.T)
    fitted.intercept_ = symmetric_intercept(function.intercept)
    fitted._report([function.solution])
    return fitted


def _refit(model: KernelLogisticRegression, problem: CenteredProblem, step: Step) -> LogisticFunction:
    options = Options(model.solver, model.tol, model.max_iter, model.fit_intercept, step)
    plan, index = model._memory_plan(), model.support_
    if problem.suits_samples(plan.total):
        start = model.dual_coef_.T
        if model.fit_intercept:
            start = np.vstack([start, model.intercept_])
        return fit_progressive_samples(problem, index, options, plan, model.random_state, start)
    return fit_centers(*problem.in_memory(), replace(options, solver="irls"), (problem.Z, index))
