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
from kernelproba.estimators.base.callbacks import Step
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
    return CenterFits(problem, options, plan, random_state).fit(problem.weights)


class CenterFits:
    """Fits of the same centres to the same rows with one weighting after another.

    They share the whitened features, n m² operations; those that set out from a function that is nearly right
    share the kernel values of all rows, too, and the curvature at the start, so that steps over all rows are
    all that each takes.

    Parameters
    ----------
    problem : CenteredProblem
        With weights as each fit has in the mean, which tell the curvature.
    options, plan, random_state
        As of `fit_centers`.
    start : array of shape (m + 1, k) or (m, k), optional
        Coefficients, and intercepts if there are any, of a function that is nearly right.
    """

    def __init__(
        self,
        problem: CenteredProblem,
        options: Options,
        plan: MemoryPlan,
        random_state: RandomState,
        start: np.ndarray | None = None,
    ):
        self.problem, self.options, self.start = problem, options, start
        self.plan, self.random_state = plan, random_state

    def set_out_from(self, start: np.ndarray, weights: np.ndarray) -> "CenterFits":
        """Fits with such weights in the mean from such coefficients, with the features of these."""
        problem = replace(self.problem, weights=weights)
        others = CenterFits(problem, self.options, self.plan, self.random_state, start)
        if (known := vars(self).get("_features")) is not None:
            vars(others)["_features"] = known
        return others

    def fit(self, weights: np.ndarray, step: Step | None = None) -> LogisticFunction:
        """Fit to the weights ω (n,), aligned with the rows; `step` is the context of every pass."""
        options = self.options if step is None else replace(self.options, step=step)
        problem = replace(self.problem, weights=weights)
        solver = _solver(problem, options, self.plan)
        if solver == "preconditioned-newton":
            return _fit_crowded(problem, options, *self._features, self.start)
        if solver != "progressive":
            return self._fit_whitened(problem, replace(options, solver=solver))
        if self.start is None:
            rng = check_random_state(self.random_state)
            levels = Levels.of(problem, options, self.plan, rng, larger=True)
            theta, larger = levels.samples[0].start(), levels.larger()
            solution = progressive(levels.samples, levels.full, theta, **_bounds(options), larger=larger)
        else:
            levels, P = self._prepared
            solution = resumed(levels.weighted(problem), P, self.start, **_bounds(options))
        return _function(problem, options, solution)

    def forget(self) -> None:
        """Give the memory of the features free; another fit computes them anew."""
        for name in ("_features", "_prepared"):
            vars(self).pop(name, None)

    @cached_property
    def _prepared(self) -> tuple[Levels, Preconditioner]:
        """Features of the rows, and the curvature at the start."""
        levels = Levels.of(self.problem, self.options, self.plan, check_random_state(self.random_state))
        start = levels.samples[-1].start() if self.start is None else self.start
        return levels, start_curvature(levels.samples[-1], levels.full, start)

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
