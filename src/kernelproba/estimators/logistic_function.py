"""From a kernel and labelled rows to the logistic function of least objective.

Two routes lead there.  *irls* works with the kernel matrix itself: products with it are all it needs.  The
other solvers work in whitened features from its Cholesky factor, which finds the rank of a degenerate
kernel (the linear one) and the positive part of an indefinite one (the sigmoid).
"""

from dataclasses import dataclass

import numpy as np

from ..basis import span_rows
from ..kernels import Kernel, Linear, Precomputed, kernel_matrix
from ..losses import loss_for
from ..objective import KernelObjective, Objective
from ..penalties import Ridge
from ..rows import as_rows
from ..solvers import SOLVERS, Solution, irls

#: Above so many rows, and at tolerances that allow it, the kernel matrix is kept in single precision.
SINGLE_PRECISION_ROWS = 1000
SINGLE_PRECISION_TOL = 1e-4


@dataclass(frozen=True)
class Options:
    """How to fit: solver, tol, max_iter and fit_intercept of the estimator."""

    solver: str
    tol: float
    max_iter: int
    fit_intercept: bool

    def precision(self, n: int) -> type:
        """Type in which a kernel matrix of n rows is kept."""
        single = n > SINGLE_PRECISION_ROWS and self.tol >= SINGLE_PRECISION_TOL
        return np.float32 if single else np.float64


@dataclass(frozen=True)
class KernelFunction:
    """Scores Σⱼ αⱼ k(·, zⱼ) + b: rows that are centres (m,), dual (m, k), intercept (k,)."""

    index: np.ndarray
    dual: np.ndarray
    intercept: np.ndarray


@dataclass(frozen=True)
class LogisticFunction(KernelFunction):
    """A fitted function, and how it was found."""

    solution: Solution


def fit_function(
    kernel: Kernel, X, y: np.ndarray, weights: np.ndarray, options: Options, start: KernelFunction | None
) -> LogisticFunction:
    """Minimise Σ ωᵢ ℓ(yᵢ, f(xᵢ) + b) + ½‖f‖² over f and b.

    Parameters
    ----------
    kernel : Kernel
        Of the function space.
    X, y, weights : arrays of n rows
        Rows, class indices and ω = C·weight.
    options : Options
        Solver and its settings.
    start : KernelFunction, optional
        A function with the same rows as possible centres, to start from.
    """
    name = solver_name(kernel, options.solver)
    fit = _by_kernel_matrix if name == "irls" else _by_features
    return fit(kernel, X, y, weights, options, start)


def solver_name(kernel: Kernel, solver: str) -> str:
    """Resolve "auto": irls, but features for kernels of low rank or of doubtful definiteness."""
    if solver != "auto":
        return solver
    doubtful = not kernel.definite or isinstance(kernel, Precomputed)
    return "newton-cg" if doubtful or isinstance(kernel, Linear) else "irls"


def _by_kernel_matrix(kernel, X, y, weights, options, start):
    if not kernel.definite or isinstance(kernel, Precomputed):
        basis, Phi = span_rows(kernel, X)  # refuses an indefinite matrix, or takes its positive part
        function = solve_kernel(Phi @ Phi.T, y, weights, options)
        return LogisticFunction(
            basis.index, basis.dual(Phi.T @ function.dual), function.intercept, function.solution
        )
    K = kernel_matrix(kernel, X, options.precision(X.shape[0]))
    return solve_kernel(K, y, weights, options, start)


def solve_kernel(
    K: np.ndarray, y: np.ndarray, weights: np.ndarray, options: Options, start: KernelFunction | None = None
) -> LogisticFunction:
    """IRLS on a kernel matrix; all rows are centres."""
    loss = loss_for(c := int(y.max()) + 1)
    n, k = len(y), loss.n_scores(c)
    objective = KernelObjective(K, y, weights, loss, k, options.fit_intercept)
    theta = np.zeros((n + options.fit_intercept, k))
    if start is not None:
        theta[start.index] = start.dual
        theta[n:] = start.intercept
    solution = irls(objective, theta, tol=options.tol, max_iter=options.max_iter)
    intercept = solution.coef[n] if options.fit_intercept else np.zeros(k)
    return LogisticFunction(np.arange(n), solution.coef[:n], intercept, solution)


def _by_features(kernel, X, y, weights, options, start):
    basis, Phi = span_rows(kernel, X)
    loss = loss_for(c := int(y.max()) + 1)
    objective = Objective(
        features=as_rows(Phi),
        y=y,
        weights=weights,
        loss=loss,
        penalty=Ridge(),
        n_scores=loss.n_scores(c),
        fit_intercept=options.fit_intercept,
    )
    theta = objective.start()
    if start is not None:
        previous = kernel(X, kernel.select(X, start.index)) @ start.dual
        theta[: Phi.shape[1]] = basis.coordinates(previous[basis.index])
        theta[Phi.shape[1] :] = start.intercept
    solve = SOLVERS[solver_name(kernel, options.solver)]
    solution = solve(objective, theta, tol=options.tol, max_iter=options.max_iter)
    W, b = objective.split(solution.coef)
    return LogisticFunction(basis.index, basis.dual(W), b, solution)
