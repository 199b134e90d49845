"""The same centres fitted to other weights of the same rows, or with one C after another."""

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.estimators.base.callbacks import Step, unobserved
from kernelproba.estimators.base.logistic_scores import symmetric_intercept
from kernelproba.estimators.kernel_logistic.center_levels import CenteredProblem
from kernelproba.estimators.kernel_logistic.centers import CenterFits
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic.exact import (
    LogisticFunction,
    Options,
    fit_each,
    fit_function,
)
from kernelproba.kernels import Kernel, kernel_matrix
from kernelproba.objective import DenseMatrix
from kernelproba.rows.protocol import Rows
from kernelproba.typing import Matrix


class Refits:
    """Copies of a model with chosen centres, fitted to other weights from where the model's fit has ended.

    Parameters
    ----------
    model : KernelLogisticRegression
        Fitted, with fewer centres than rows and without `undo_weights`.
    rows, y, weight : Rows of n rows, aligned values
        Rows as the kernel compares them, class indices, and weights with those of the classes as each of the
        fits has in the mean.
    """

    def __init__(self, model: KernelLogisticRegression, rows: Rows, y: np.ndarray, weight: np.ndarray):
        self.model = model
        centers, c = (model.support_vectors_, model.support_), len(model.classes_)
        problem = CenteredProblem(model.kernel_, *centers, rows, y, model.C * weight, c)
        plan = model._memory_plan(len(rows))
        self._fits = CenterFits(problem, options_of(model), plan, model.random_state, _coefficients(model))

    def to(self, weight: np.ndarray, step: Step = unobserved) -> KernelLogisticRegression:
        """The copy fitted to these weights (n,); `step` is the context of every pass."""
        return _with_function(self.model, self._fits.fit(self.model.C * weight, step))


class StrengthFits:
    """Fits of a model with chosen centres to the same rows, for one C after another.

    The first sets out from nothing, each other one from the one before; they share what features they have.

    Parameters
    ----------
    model : KernelLogisticRegression
        With `n_centers` and without `undo_weights`, to be fitted with its own C.
    X, y, sample_weight : arrays of n rows
        Rows as the kernel compares them, labels, and weights.
    """

    def __init__(self, model: KernelLogisticRegression, X: Matrix, y: ArrayLike, sample_weight: np.ndarray):
        training = model._begin_fit(X, y, sample_weight)
        chosen = model._choose_centers(training)
        if chosen is None:
            model.fit(X, y, sample_weight)
        centers = (model.support_vectors_, model.support_) if chosen is None else chosen
        problem, plan = model._centered_problem(training, *centers), model._memory_plan(len(training.y))
        self.model, self._training = model, training
        self._fits = CenterFits(problem, options_of(model), plan, model.random_state)
        if chosen is not None:
            model._store_centered(self._fits.fit(problem.weights), problem.Z, training)

    def to(self, C: float) -> KernelLogisticRegression:
        """A copy of the model, fitted with this C."""
        weights = self.model._strengths(self._training, C)
        self._fits = self._fits.set_out_from(_coefficients(self.model), weights)
        self.model = _with_function(self.model, self._fits.fit(weights))
        self.model.C = C
        return self.model

    def forget(self) -> None:
        """Give the memory of the features free; another fit computes them anew."""
        self._fits.forget()


class RowFits:
    """Fits of a model that all rows span, to these rows and without some of them, by one kernel matrix.

    Rows without weight have no coefficients: what is left out need not be cut from the matrix.

    Parameters
    ----------
    model : KernelLogisticRegression
        With n_centers=None and without `undo_weights`, to be fitted.
    X, y, sample_weight : arrays of n rows
        Rows as the kernel compares them, labels, and weights.
    """

    def __init__(self, model: KernelLogisticRegression, X: Matrix, y: ArrayLike, sample_weight: np.ndarray):
        self.model, options = model, options_of(model)
        self.rows = model._spanning_rows(model._begin_fit(X, y, sample_weight), options)
        self.options, self._matrix = options, np.empty((0, 0))

    def to_all(self) -> KernelLogisticRegression:
        """The model, fitted to all rows."""
        rows, strengths = self.rows, self.model._strengths(self.rows, self.model.C)
        given = self.model.kernel_, rows.X, rows.y, strengths, self.options
        self.model._store_rows(fit_function(*given, None, self._kept_matrix), rows)
        return self.model

    def without_each(
        self, model: KernelLogisticRegression, left_out: Sequence[np.ndarray]
    ) -> list[KernelLogisticRegression]:
        """Copies of the model of all rows, each fitted without those of one of the masks `left_out` (n,).

        They start from nothing: a function that has lost a quarter of its coefficients is no better, and
        functions that the fit to all rows has made know the labels that are left out (letter, 5000 rows: a
        fit that begins among them has a loss of held-out rows that is 0.2 % too good).
        """
        rows, strengths = self.rows, self.model._strengths(self.rows, self.model.C)
        weights = [np.where(each[rows.index], 0.0, strengths) for each in left_out]
        kernel, given = self.model.kernel_, (rows.X, rows.y)
        models = []
        for function in fit_each(kernel, *given, weights, self.options, self._kept_matrix):
            models.append(_with_function(model, function))
            models[-1]._store_centers(rows.X, function.index, rows.index)
        return models

    def scores(self, model: KernelLogisticRegression) -> np.ndarray:
        """Scores (n, k) of the rows that carry weight, by one of these fits."""
        dual = np.zeros((len(self.rows.y), model.dual_coef_.shape[0]))
        dual[np.searchsorted(self.rows.index, model.support_)] = model.dual_coef_.T
        if not self._matrix.size:
            dtype = self.options.precision(len(dual), self.model._strengths(self.rows, self.model.C).max())
            self._kept_matrix(self.model.kernel_, self.rows.X, dtype)
        return DenseMatrix(self._matrix).product(dual) + model.intercept_

    def _kept_matrix(self, kernel: Kernel, X: Matrix, dtype: type) -> np.ndarray:
        """The kernel matrix of the rows, in the precision that was asked for last."""
        if self._matrix.dtype != dtype or not self._matrix.size:
            self._matrix = np.empty((0, 0))  # before another takes its place in memory
            self._matrix = kernel_matrix(kernel, X, dtype)
        return self._matrix


def options_of(model: KernelLogisticRegression) -> Options:
    """How a model is fitted, with nobody told of the steps."""
    return Options(model.solver, model.tol, model.max_iter, model.fit_intercept)


def _coefficients(model: KernelLogisticRegression) -> np.ndarray:
    """Coefficients of the centres and, last, intercepts, (m + 1, k) or (m, k)."""
    coef = model.dual_coef_.T
    return np.vstack([coef, model.intercept_]) if model.fit_intercept else coef


def _with_function(model: KernelLogisticRegression, function: LogisticFunction) -> KernelLogisticRegression:
    """A copy of a model with another function of the same centres."""
    fitted = copy(model)
    fitted.dual_coef_ = np.ascontiguousarray(function.dual.T)
    fitted.intercept_ = symmetric_intercept(function.intercept)
    fitted._report([function.solution])
    return fitted
