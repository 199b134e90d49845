"""Logistic functions of given centres, for any number of rows: samples in memory first, then all rows.

The coefficients are those of the kernels themselves, f = Σⱼ αⱼ k(·, zⱼ), so that a block of features is a
block of kernel values and nothing more; the solver's preconditioner does what whitening would do.  The other
solvers take whitened features, of all rows in memory.
"""

from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from sklearn.utils import check_random_state

from kernelproba.basis import KernelBasis, span_centers
from kernelproba.estimators.base.callbacks import Step, unobserved
from kernelproba.estimators.kernel_logistic.center_levels import CenteredProblem, Levels
from kernelproba.estimators.kernel_logistic.exact import (
    SINGLE_PRECISION_TOL,
    LogisticFunction,
    Options,
    fit_features,
)
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.losses import loss_for
from kernelproba.objective import Objective
from kernelproba.penalties import Ridge
from kernelproba.rows import MemoryRows
from kernelproba.rows.store import as_rows
from kernelproba.solvers.smooth.preconditioned_newton import preconditioned_newton
from kernelproba.solvers.smooth.preconditioner import Preconditioner
from kernelproba.solvers.smooth.progressive import progressive, resumed, start_curvature
from kernelproba.solvers.solution import Solution
from kernelproba.typing import Matrix, RandomState

#: Rows whose whitened features are computed at a time.
BLOCK_ROWS = 4096


def fit_centers(
    problem: CenteredProblem, options: Options, plan: MemoryPlan, random_state: RandomState
) -> LogisticFunction:
    """Fit by way of samples unless another solver is asked for, or is faster where that is left open.

    Features for which the plan has no room are computed anew at every pass.

    Parameters
    ----------
    problem : CenteredProblem
        What to minimise.
    options : Options
        Solver and its settings.
    plan : MemoryPlan
        How much memory is for what.
    random_state : int, RandomState or None
        Draws the samples.
    """
    solver = _solver(problem, options, plan)
    if solver == "preconditioned-newton":
        return _fit_crowded(problem, options, *_whitened(problem, problem.rows.whole(), options))
    if solver != "progressive":
        X, y, weights = problem.in_memory()
        basis, Phi = _whitened(problem, X, options)
        return fit_features(basis, Phi, y, weights, replace(options, solver=solver))
    levels = Levels.of(problem, options, plan, check_random_state(random_state), larger=True)
    theta = levels.samples[0].start()
    solution = progressive(levels.samples, levels.full, theta, **_bounds(options), larger=levels.larger())
    return _function(problem, options, solution)


class CenterRefits:
    """Fits to other weights of the same rows, all from a function that is nearly right.

    They share the kernel values, and the curvature at the start: steps over all rows are all that each takes.

    Parameters
    ----------
    problem : CenteredProblem
        With weights as each fit has in the mean, which tell the curvature.
    options, plan, random_state
        As of `fit_centers`.
    start : array of shape (m + 1, k) or (m, k)
        Coefficients, and intercepts if there are any, of the function.
    """

    def __init__(
        self,
        problem: CenteredProblem,
        options: Options,
        plan: MemoryPlan,
        random_state: RandomState,
        start: np.ndarray,
    ):
        self.problem, self.options, self.start = problem, options, start
        self.plan, self.random_state = plan, random_state

    def fit(self, weights: np.ndarray, step: Step = unobserved) -> LogisticFunction:
        """Fit to the weights ω (n,), aligned with the rows."""
        problem, options = replace(self.problem, weights=weights), replace(self.options, step=step)
        solver = _solver(problem, options, self.plan)
        if solver == "preconditioned-newton":
            return _fit_crowded(problem, options, *self._features, self.start)
        if solver != "progressive":
            return self._fit_whitened(problem, replace(options, solver=solver))
        levels, P = self._prepared
        solution = resumed(levels.weighted(problem), P, self.start, **_bounds(options))
        return _function(problem, options, solution)

    @cached_property
    def _prepared(self) -> tuple[Levels, Preconditioner]:
        """Features of the rows, and the curvature at the start."""
        levels = Levels.of(self.problem, self.options, self.plan, check_random_state(self.random_state))
        return levels, start_curvature(levels.samples[-1], levels.full, self.start)

    def _fit_whitened(self, problem: CenteredProblem, options: Options) -> LogisticFunction:
        everything = np.arange(len(problem.rows))
        y, weights = (problem.rows.pick(values, everything) for values in (problem.y, problem.weights))
        basis, Phi = self._features
        if not (kept := weights > 0).all():
            Phi, y, weights = Phi[kept], y[kept], weights[kept]
        return fit_features(basis, Phi, y, weights, options)

    @cached_property
    def _features(self) -> tuple[KernelBasis, np.ndarray]:
        return _whitened(self.problem, self.problem.rows.whole(), self.options)


def _solver(problem: CenteredProblem, options: Options, plan: MemoryPlan) -> str:
    if options.solver != "auto":
        return options.solver
    if problem.suits_samples(plan.total):
        return "progressive"
    # Its residual is an estimate, good enough for tolerances at which single precision is.
    if options.tol >= SINGLE_PRECISION_TOL:
        return "preconditioned-newton"
    return "irls" if problem.n_classes > 2 else "progressive"


def _fit_crowded(
    problem: CenteredProblem,
    options: Options,
    basis: KernelBasis,
    Phi: np.ndarray,
    start: np.ndarray | None = None,
) -> LogisticFunction:
    """Fit in whitened features Φ (n, m) of all rows, from coefficients of kernels (m + 1, k) if given."""
    everything, loss = np.arange(len(Phi)), loss_for(problem.n_classes)
    y, weights = (problem.rows.pick(values, everything) for values in (problem.y, problem.weights))
    k = loss.n_scores(problem.n_classes)
    objective = Objective(MemoryRows(Phi), y, weights, loss, Ridge(), k, options.fit_intercept)
    theta, m = objective.start(), Phi.shape[1]
    if start is not None:
        theta[:m] = basis.coordinates(problem.kernel(problem.Z, problem.Z) @ start[:m])
        theta[m:] = start[m:]
    solution = preconditioned_newton(objective, theta, **_bounds(options))
    W, b = objective.split(solution.coef)
    return LogisticFunction(basis.index, basis.dual(W), b, solution)


def _bounds(options: Options) -> dict:
    return {"tol": options.tol, "max_iter": options.max_iter, "step": partial(options.step, "pass")}


def _function(problem: CenteredProblem, options: Options, solution: Solution) -> LogisticFunction:
    m, k = len(problem.index), solution.coef.shape[1]
    intercept = solution.coef[m] if options.fit_intercept else np.zeros(k)
    return LogisticFunction(problem.index, solution.coef[:m], intercept, solution)


def _whitened(problem: CenteredProblem, X: Matrix, options: Options) -> tuple[KernelBasis, np.ndarray]:
    """Coordinates of rows X in which the norm of the function space is Euclidean, and their basis."""
    kernel, Z, dtype = problem.kernel, problem.Z, options.precision(len(problem.rows))
    basis = span_centers(kernel, Z, problem.index)
    Phi = as_rows(X, block_rows=BLOCK_ROWS).map(
        lambda block: basis.coordinates(kernel(block, Z).astype(np.float64, copy=False).T).T.astype(dtype)
    )
    return basis, Phi
