"""From a kernel and labelled rows to the logistic function of least objective.

Two routes lead there.  *irls* works with the kernel matrix: products with it are all it needs.  The other
solvers work in whitened features from its Cholesky factor, which finds the rank of a degenerate kernel (the
linear one) and the positive part of an indefinite one (the sigmoid).  With chosen centres (`centers`) the
features are given, and the kernel matrix of irls is their product.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kernelproba.basis import KernelBasis, span_rows
from kernelproba.estimators.base.callbacks import Step, unobserved
from kernelproba.kernels import Kernel, Linear, Precomputed, kernel_matrix, kernel_panels
from kernelproba.kernels.thin_product import multiplies_in_place
from kernelproba.losses import loss_for
from kernelproba.objective import DenseMatrix, FactoredMatrix, KernelMatrix, KernelObjective, Objective
from kernelproba.penalties import Ridge
from kernelproba.rows.store import as_rows
from kernelproba.solvers import SOLVERS, Solution, irls
from kernelproba.solvers.smooth.binary_stack import BinaryStack
from kernelproba.solvers.smooth.growing_subspace import (
    FEWEST_ROWS,
    growing_subspace,
    growing_subspaces,
    room,
)
from kernelproba.solvers.smooth.irls import KernelSolution
from kernelproba.solvers.smooth.recycled_directions import RecycledDirections
from kernelproba.solvers.smooth.score_start import from_scores
from kernelproba.solvers.smooth.stacked_subspaces import binary_subspace, stacked_subspaces

#: Above so many rows, and at tolerances that allow it, matrices are kept in single precision.
SINGLE_PRECISION_ROWS = 500
SINGLE_PRECISION_TOL = 1e-4
#: Largest weight ω at which they are: rounding moves eigenvalues of K by about ε √n, of which ω makes noise.
SINGLE_PRECISION_NOISE = 0.05
#: Tolerance of the preliminary fit from which a fit without a start sets out.
ROUGH_TOL = 0.1
#: Rows above which one score is fitted in a growing subspace, too: its products with K are quick.
BINARY_ROWS = 1000
#: Rows for each feature from which on a linear kernel is a thin factor times itself.
ROWS_PER_FEATURE = 4
#: Kernel coefficients up to which Newton's method with factors is tried where conjugate gradients give up.
FACTORISED_DUAL = 2000


@dataclass(frozen=True)
class Options:
    """How to fit: solver, tol, max_iter and fit_intercept of the estimator, and whom to tell the steps.

    Kernel matrices of more than `single_rows` rows may be in single precision.
    """

    solver: str
    tol: float
    max_iter: int
    fit_intercept: bool
    step: Step = unobserved
    single_rows: int = SINGLE_PRECISION_ROWS

    def precision(self, n: int, weight: float = 1.0) -> type:
        """Type in which a kernel matrix of n rows, the largest weight being ω, is kept."""
        noise = weight * np.sqrt(n) * np.finfo(np.float32).eps
        single = n > self.single_rows and self.tol >= SINGLE_PRECISION_TOL
        return np.float32 if single and noise <= SINGLE_PRECISION_NOISE else np.float64


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
    kernel: Kernel,
    X,
    y: np.ndarray,
    weights: np.ndarray,
    options: Options,
    start: KernelFunction | None,
    matrix: Callable[..., np.ndarray] | None = None,
) -> LogisticFunction:
    """Minimise Σ ωᵢ ℓ(yᵢ, f(xᵢ) + b) + ½‖f‖² over all f and b.

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
    matrix : callable, optional
        (kernel, X, dtype) → kernel matrix, for whoever keeps it; it is computed if that is not given.
    """
    if (solver := _solver(kernel, X, options)) == "irls" and not _is_doubtful(kernel):
        dtype, whole = _precision(kernel, X, weights, options), _matrix(y, matrix)
        fit = fit_matrix(whole(kernel, X, dtype), y, weights, options, start)
        if not fit.solution.converged and dtype is not np.float64:
            fit = fit_matrix(whole(kernel, X, np.float64), y, weights, options)
        given_up = not fit.solution.converged and fit.solution.n_iter < options.max_iter
        few = isinstance(kernel, Linear) or fit.dual.size <= FACTORISED_DUAL
        if not (given_up and options.solver == "auto" and few):
            return fit
        # Conjugate gradients give up where C or the weights leave the system too ill-conditioned for them.
        solver = "newton-cholesky" if fit.dual.size <= FACTORISED_DUAL else "newton-cg"
        exact = fit_features(*span_rows(kernel, X), y, weights, replace(options, solver=solver))
        return exact if exact.solution.converged else fit
    basis, Phi = span_rows(kernel, X)  # refuses an indefinite matrix, or takes its positive part
    options = replace(options, solver=solver)
    if start is None:
        return fit_features(basis, Phi, y, weights, options)
    values = kernel(X, kernel.select(X, start.index)) @ start.dual
    coef = np.vstack([basis.coordinates(values[basis.index]), start.intercept])
    return fit_features(basis, Phi, y, weights, options, coef)


def fit_each(
    kernel: Kernel,
    X,
    y: np.ndarray,
    weights: Sequence[np.ndarray],
    options: Options,
    matrix: Callable[..., np.ndarray],
) -> list[LogisticFunction]:
    """Fit to one weighting of the rows after another as `fit_function` does, in step where that pays.

    Parameters
    ----------
    kernel, X, y
        As of `fit_function`.
    weights : sequence of arrays (n,)
        One ω for each fit.
    options, matrix
        As of `fit_function`.
    """
    found: Sequence[LogisticFunction | None] | None = None
    if _solver(kernel, X, options) == "irls" and not _is_doubtful(kernel):
        dtype = _precision(kernel, X, np.maximum.reduce(weights), options)
        found = _fit_in_step(DenseMatrix(matrix(kernel, X, dtype)), y, weights, options)
    return [
        fit
        if fit is not None and fit.solution.converged
        else fit_function(kernel, X, y, each, options, None, matrix)
        for fit, each in zip(found or [None] * len(weights), weights, strict=True)
    ]


def _solver(kernel: Kernel, X, options: Options) -> str:
    """The solver that is asked for, or the one that suits the kernel."""
    if options.solver != "auto":
        return options.solver
    return "newton-cg" if _is_doubtful(kernel) or is_thin(kernel, X) else "irls"


def _is_doubtful(kernel: Kernel) -> bool:
    """Whether the kernel matrix may have negative eigenvalues."""
    return not kernel.definite or isinstance(kernel, Precomputed)


def _precision(kernel: Kernel, X, weights: np.ndarray, options: Options) -> type:
    """Type in which the kernel matrix of rows X with weights ω is kept."""
    # Noise is relative to the values of the kernel, which other kernels have around one.
    largest = float(kernel.diag(X).max()) if isinstance(kernel, Linear) else 1.0
    return options.precision(X.shape[0], weights.max() * largest)


def _matrix(y: np.ndarray, matrix: Callable[..., np.ndarray] | None) -> Callable[..., KernelMatrix]:
    """(kernel, X, dtype) → kernel matrix, in panels where products with several columns gain by them."""
    if matrix is None and len(y) > FEWEST_ROWS and y.max() > 1 and multiplies_in_place():
        return kernel_panels
    given = kernel_matrix if matrix is None else matrix
    return lambda *arguments: DenseMatrix(given(*arguments))


def is_thin(kernel: Kernel, X) -> bool:
    """Whether far fewer features than rows X (n, d) span the functions of the kernel."""
    return isinstance(kernel, Linear) and ROWS_PER_FEATURE * X.shape[1] <= X.shape[0]


def fit_matrix(
    K: KernelMatrix,
    y: np.ndarray,
    weights: np.ndarray,
    options: Options,
    start: KernelFunction | np.ndarray | None = None,
) -> LogisticFunction:
    """Minimise on a kernel matrix; all rows are centres.

    In growing subspaces where they pay, and by conjugate gradients elsewhere and where room has run out.
    These set out from the rough solution for a hundredth of the weights unless there is a start: a quick
    problem, which spares the real one a third to two thirds of its products with K.  A start may also be
    scores (n, k) of the rows by a function nearby, of another kernel or with more rows (`score_start`);
    growing subspaces have no use for those.
    """
    objective = _objective(K, y, weights, options)
    n, k, tol, max_iter = len(y), objective.n_scores, options.tol, options.max_iter
    theta = np.zeros((n + options.fit_intercept, k))
    if isinstance(start, KernelFunction):
        theta[start.index] = start.dual
        theta[n:] = start.intercept
    minimise = partial(irls, max_iter=max_iter, recycled=(recycled := RecycledDirections.of(objective)))
    if k == 1 and isinstance(K, DenseMatrix) and n > BINARY_ROWS:
        solution = binary_subspace(objective, K.K, theta, tol=tol, max_iter=max_iter)
        if not solution.converged:
            solution = minimise(objective, solution, tol=tol)
    elif room(objective):
        solution = growing_subspace(objective, theta, tol=tol, max_iter=max_iter)
        if not solution.converged:
            solution = minimise(objective, solution, tol=tol)
    else:
        at: np.ndarray | KernelSolution = theta
        if isinstance(start, np.ndarray):
            at = from_scores(objective, start, recycled)
        elif start is None:
            at = minimise(replace(objective, weights=weights / 100), theta, tol=ROUGH_TOL)
        solution = minimise(objective, at, tol=tol)
    return _function_of(solution, options)


def _fit_in_step(
    K: DenseMatrix, y: np.ndarray, weights: Sequence[np.ndarray], options: Options
) -> list[LogisticFunction] | None:
    """Fits by growing subspaces whose products with K are done at once; None where these do not pay."""
    objectives = [_objective(K, y, each, options) for each in weights]
    n, k, tol, max_iter = len(y), objectives[0].n_scores, options.tol, options.max_iter
    if k == 1 and n > BINARY_ROWS:
        signs = np.tile(np.where(y == 1, 1.0, -1.0), (len(weights), 1))
        stack = BinaryStack([K.K] * len(weights), signs, np.stack(weights), options.fit_intercept)
        start = np.zeros_like(signs), np.zeros(len(signs))
        found = stacked_subspaces(stack, start, tol=tol, max_iter=max_iter)
        solutions = found.each(fit_intercept=options.fit_intercept)
    elif room(objectives[0]):
        starts = [np.zeros((n + options.fit_intercept, k))] * len(weights)
        solutions = growing_subspaces(objectives, starts, tol=tol, max_iter=max_iter)
    else:
        return None
    return [_function_of(solution, options) for solution in solutions]


def _objective(K: KernelMatrix, y: np.ndarray, weights: np.ndarray, options: Options) -> KernelObjective:
    """J of as many classes as there are labels."""
    loss = loss_for(c := int(y.max()) + 1)
    return KernelObjective(K, y, weights, loss, loss.n_scores(c), options.fit_intercept)


def _function_of(solution: Solution, options: Options) -> LogisticFunction:
    """The function of a solution [α; b] in coefficients of all rows."""
    n = len(solution.coef) - options.fit_intercept
    intercept = solution.coef[n] if options.fit_intercept else np.zeros(solution.coef.shape[1])
    return LogisticFunction(np.arange(n), solution.coef[:n], intercept, solution)


def fit_features(
    basis: KernelBasis,
    Phi: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    options: Options,
    start: np.ndarray | None = None,
) -> LogisticFunction:
    """Fit in the span of a basis with features Φ (n, r), starting from [W; b] (r + 1, k) if that is given."""
    if options.solver == "irls":
        function = fit_matrix(FactoredMatrix(Phi), y, weights, options)
        W = (Phi.T @ function.dual.astype(Phi.dtype)).astype(np.float64)
        return LogisticFunction(basis.index, basis.dual(W), function.intercept, function.solution)
    loss = loss_for(c := int(y.max()) + 1)
    k = loss.n_scores(c)
    objective = Objective(as_rows(Phi), y, weights, loss, Ridge(), k, options.fit_intercept)
    theta = objective.start() if start is None else start[: objective.shape[0]]
    solution = SOLVERS[options.solver](objective, theta, tol=options.tol, max_iter=options.max_iter)
    W, b = objective.split(solution.coef)
    return LogisticFunction(basis.index, basis.dual(W), b, solution)
