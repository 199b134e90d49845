"""Logistic functions of given centres, for any number of rows: samples in memory first, then all rows.

The coefficients are those of the kernels themselves, f = Σⱼ αⱼ k(·, zⱼ), so that a block of features is a
block of kernel values and nothing more; the solver's preconditioner does what whitening would do.  The other
solvers take whitened features, of all rows in memory.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from kernelproba.basis import span_centers
from kernelproba.estimators.kernel_logistic.exact import LogisticFunction, Options, fit_features
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.kernels import Comparison, Kernel
from kernelproba.losses import loss_for
from kernelproba.objective import Objective
from kernelproba.penalties import FunctionNorm
from kernelproba.rows import MemoryRows
from kernelproba.rows.protocol import Rows
from kernelproba.rows.store import as_rows
from kernelproba.solvers.smooth.progressive import GRAM_COST_RATIO, progressive, resumed
from kernelproba.typing import Matrix, RandomState

#: Rows of the samples, per centre.
SAMPLES = (4, 20)
#: Rows whose whitened features are computed at a time.
BLOCK_ROWS = 4096


@dataclass(frozen=True)
class CenteredProblem:
    """Σ ωᵢ ℓ(yᵢ, f(xᵢ) + b) + ½‖f‖² over the f spanned by centres.

    Parameters
    ----------
    kernel, Z, index : Kernel, arrays of shapes (m, d) and (m,)
        Of the function space, the centres, and the rows that they are, −1 for none.
    rows, y, weights : Rows of n rows, aligned values
        Rows, class indices and ω = C·weight.
    n_classes : int
        c.
    """

    kernel: Kernel
    Z: Matrix
    index: np.ndarray
    rows: Rows
    y: np.ndarray
    weights: np.ndarray
    n_classes: int

    def suits_samples(self, memory: int) -> bool:
        """Whether samples and factors per class pay; if not, conjugate gradients on whitened features do."""
        n, m = len(self.rows), self.Z.shape[0]
        crowded = self.n_classes > 2 and n <= SAMPLES[-1] * m and m > GRAM_COST_RATIO
        return not crowded or 16 * n * m > memory

    def in_memory(self) -> tuple[Matrix, np.ndarray, np.ndarray]:
        """Rows, class indices and weights, fetched from wherever they are."""
        everything = np.arange(len(self.rows))
        y, weights = (self.rows.pick(values, everything) for values in (self.y, self.weights))
        X, kept = self.rows.whole(), weights > 0
        return (X, y, weights) if kept.all() else (X[kept], y[kept], weights[kept])


def fit_centers(
    problem: CenteredProblem,
    options: Options,
    plan: MemoryPlan,
    random_state: RandomState,
    start: np.ndarray | None = None,
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
    start : array of shape (m + 1, k) or (m, k), optional
        Coefficients, and intercepts if there are any, of a function that is nearly right: then a sample only
        tells the curvature, and the steps are over all rows.
    """
    solver = options.solver
    if solver == "auto":
        solver = "progressive" if problem.suits_samples(plan.total) else "irls"
    if solver != "progressive":
        return _fit_whitened(problem, replace(options, solver=solver))
    step = partial(options.step, "pass")
    # A wide kernel with a weak penalty: what single precision leaves of its gradient points nowhere.
    for dtype in dict.fromkeys([options.precision(len(problem.rows)), np.float64]):
        samples, full = _levels(dtype, problem, options, plan, check_random_state(random_state))
        if start is None:
            solve, theta = partial(progressive, samples, full), samples[0].start()
        else:
            solve, theta = partial(resumed, samples[-1], full), start
        solution = solve(theta, tol=options.tol, max_iter=options.max_iter, step=step)
        if solution.converged:
            break
    m, k = len(problem.index), solution.coef.shape[1]
    intercept = solution.coef[m] if options.fit_intercept else np.zeros(k)
    return LogisticFunction(problem.index, solution.coef[:m], intercept, solution)


def _fit_whitened(problem: CenteredProblem, options: Options) -> LogisticFunction:
    """Minimise over coordinates in which the norm of the function space is Euclidean."""
    kernel, Z, dtype = problem.kernel, problem.Z, options.precision(len(problem.rows))
    X, y, weights = problem.in_memory()
    basis = span_centers(kernel, Z, problem.index)
    Phi = as_rows(X, block_rows=BLOCK_ROWS).map(
        lambda block: basis.coordinates(kernel(block, Z).astype(np.float64, copy=False).T).T.astype(dtype)
    )
    return fit_features(basis, Phi, y, weights, options)


def _levels(
    dtype: type, problem: CenteredProblem, options: Options, plan: MemoryPlan, rng: np.random.RandomState
) -> tuple[list[Objective], Objective | None]:
    """Objectives on growing samples, and on all rows if the last sample has not got them."""
    m, n = problem.Z.shape[0], len(problem.rows)
    compare = Comparison(problem.kernel, problem.Z, dtype)
    penalty = FunctionNorm(_center_matrix(problem, dtype))
    loss = loss_for(problem.n_classes)
    k = loss.n_scores(problem.n_classes)

    def objective(features: Rows, y: np.ndarray, weights: np.ndarray) -> Objective:
        return Objective(features, y, weights, loss, penalty, k, options.fit_intercept)

    block_rows, largest = plan.block_rows(m), plan.sample_rows(m, np.dtype(dtype).itemsize)
    sizes = sorted({min(n, largest, times * m) for times in SAMPLES})
    sample = Sample.draw(problem, sizes[-1], rng)
    held = compare(sample.X)
    samples = [
        objective(MemoryRows(held[:size], block_rows), sample.y[:size], sample.weights[:size] * (n / size))
        for size in sizes
        if size == sizes[-1] or 2 * size <= sizes[-1]
    ]
    full = None
    if sizes[-1] < n:
        budget = plan.kept_features(m, held.nbytes)
        features = problem.rows.in_blocks(block_rows).features(compare, m, budget=budget)
        full = objective(features, problem.y, problem.weights)
    return samples, full


@dataclass(frozen=True)
class Sample:
    """Rows in memory, in random order, with their labels and weights."""

    X: Matrix
    y: np.ndarray
    weights: np.ndarray

    @staticmethod
    def draw(problem: CenteredProblem, size: int, rng: np.random.RandomState) -> "Sample":
        """Take `size` rows."""
        n, rows = len(problem.rows), problem.rows
        order = rng.permutation(size)
        index = np.arange(n)
        if size < n:
            index = np.sort(sample_without_replacement(n, size, random_state=rng))
        return Sample(
            rows.take(index)[order],
            rows.pick(problem.y, index)[order],
            rows.pick(problem.weights, index)[order],
        )


def _center_matrix(problem: CenteredProblem, dtype: type) -> np.ndarray:
    """K_zz with a jitter that keeps its condition within what products in `dtype` can carry."""
    K = np.array(problem.kernel(problem.Z, problem.Z), dtype=np.float64)
    K = (K + K.T) / 2
    share = 1e-7 if dtype == np.float32 else len(K) * np.finfo(np.float64).eps
    K[np.diag_indices_from(K)] += share * float(K.diagonal().mean())
    return K
