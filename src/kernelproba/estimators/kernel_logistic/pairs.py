"""kLOGREG: one binary logistic function per pair of classes (roth2001, §3).

Pair (i, j), i < j, has the score f_ij(x) = Σ α k(x, z) + b over the rows z of its two classes, and
r_ij(x) = σ(f_ij(x)) is the probability of i among the two.  Pairs of few rows are fitted many at a time,
large ones one by one; `pair_matrices` has the kernel values.  Coefficients are kept as SVC keeps them:
centres sorted by class, dual (c − 1, m), the coefficient of a centre of class i in the pair with class j
being in row j if j < i, else j − 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed

from kernelproba.blas_threads import borrowed_blas_threads
from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators.base.callbacks import unobserved
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.kernel_logistic.exact import LogisticFunction, Options, fit_matrix
from kernelproba.estimators.kernel_logistic.pair_matrices import Block, PairMatrices
from kernelproba.kernels import Kernel, rows_in
from kernelproba.kernels.expansion import expansion_scores
from kernelproba.objective import DenseMatrix
from kernelproba.solvers import Solution
from kernelproba.solvers.loo.logistic import leave_one_out_loss
from kernelproba.solvers.smooth.binary_stack import BinaryStack
from kernelproba.solvers.smooth.stacked_subspaces import StackedSolution, stacked_subspaces

Pair = tuple[int, int]
#: C and the function fitted with it.
Fit = tuple[float, LogisticFunction]


@dataclass(frozen=True)
class LogisticPairs:
    """Functions of all pairs: order (m,) of the rows, bounds (c + 1,) of the classes in it, and the fits."""

    order: np.ndarray
    bounds: np.ndarray
    dual: np.ndarray
    intercept: np.ndarray
    C: np.ndarray
    solutions: list[Solution]


def pair_scores(K: np.ndarray, bounds: np.ndarray, dual: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """f_ij (n, pairs) from kernel values K (n, m) with the sorted centres, at 2nm(c − 1) operations."""
    c = len(bounds) - 1
    own = (slice(*bounds[i : i + 2]) for i in range(c))
    # Of the centres of each class c − 1 columns, one for every other class.
    parts = np.hstack([expansion_scores(K[:, s], dual[:, s].T) for s in own])
    i, j = class_pairs(c).T
    return parts.take(i * (c - 1) + j - 1, axis=1) + parts.take(j * (c - 1) + i, axis=1) + intercept


def pair_masses(mass: np.ndarray) -> np.ndarray:
    """n_ij = n_i + n_j, (c, c), from the weights (c,) of the classes."""
    return mass[:, None] + mass


def pair_expansions(
    kernel: Kernel, Z, rows: np.ndarray, dual: np.ndarray, intercept: np.ndarray, sizes: np.ndarray
) -> list[KernelExpansion]:
    """Every f_ij as a sum over the centres Z of its two classes, which have `sizes` (c,) centres each."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    expansions = []
    for (i, j), b in zip(class_pairs(len(sizes)), intercept, strict=True):
        own, other = np.flatnonzero(owner == i), np.flatnonzero(owner == j)
        both = np.concatenate([own, other])
        coef = np.concatenate([dual[j - 1, own], dual[i, other]])[np.newaxis]
        expansions.append(
            KernelExpansion(kernel, Z[both], rows[both], coef, np.array([b]), np.array([[i, j]]))
        )
    return expansions


def fit_pairs(
    kernel: Kernel, X, y: np.ndarray, weight: np.ndarray, Cs: Sequence[float], options: Options, n_jobs=None
) -> LogisticPairs:
    """Fit every pair; of several Cs each pair takes the one of least approximate leave-one-out loss.

    Parameters
    ----------
    kernel, X, y, weight
        Kernel, rows, class indices 0 … c − 1 and weights.
    Cs : sequence of float
        Inverse strengths of the penalty to choose from.
    options : Options
        Settings of the solver, which is irls.
    n_jobs : int, optional
        Threads that share the pairs; each runs BLAS on one thread.
    """
    order = np.argsort(y, kind="stable")
    bounds, weight = np.searchsorted(y[order], np.arange(y.max() + 2)), weight[order]
    # The leave-one-out weights need a factorisation, hence double precision.
    single = np.float64 if len(Cs) > 1 else options.precision(len(y), Cs[0] * weight.max())
    for dtype in dict.fromkeys((single, np.float64)):
        matrices = PairMatrices(kernel, rows_in(dtype, kernel, X)[order], bounds, dtype)
        fits = _fit_all(matrices, weight, Cs, options, n_jobs)
        if all(function.solution.converged for _, function in fits.values()):
            break
        options = replace(options, step=unobserved)  # these pairs have been counted
    return _gather(fits, order, bounds)


def _fit_all(
    matrices: PairMatrices, weight: np.ndarray, Cs: Sequence[float], options: Options, n_jobs: int | None
) -> dict[Pair, Fit]:
    """Fit every pair, in threads that share them."""

    def fit(first, pairs):
        block = matrices.block_of(first)
        fits: dict[Pair, Fit] = {}
        for group in matrices.groups(pairs):
            fits |= _fit_group(group, matrices, weight, Cs, options, block)
        return fits

    with borrowed_blas_threads():
        fitted = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(fit)(*task) for task in matrices.tasks())
    return {pair: fit for part in fitted for pair, fit in part.items()}


def _gather(fits: dict[Pair, Fit], order: np.ndarray, bounds: np.ndarray) -> LogisticPairs:
    """Lay the coefficients of all pairs out as SVC does."""
    classes = [slice(*bounds[i : i + 2]) for i in range(len(bounds) - 1)]
    dual, in_order = np.zeros((len(classes) - 1, len(order))), []
    for i, j in class_pairs(len(classes)):
        C, function = fits[i, j]
        size = bounds[i + 1] - bounds[i]
        alpha = function.dual[:, 0]
        dual[j - 1, classes[i]], dual[i, classes[j]] = alpha[:size], alpha[size:]
        in_order.append((C, function))
    return LogisticPairs(
        order=order,
        bounds=bounds,
        dual=dual,
        intercept=np.array([function.intercept[0] for _, function in in_order]),
        C=np.array([C for C, _ in in_order]),
        solutions=[function.solution for _, function in in_order],
    )


def _fit_group(
    pairs: list[Pair], matrices: PairMatrices, weight: np.ndarray, Cs, options: Options, block: Block
) -> dict[Pair, Fit]:
    """Fit pairs of about one size, several in step."""
    K = matrices.stack(pairs, block)
    problems = [_labels(pair, matrices, weight) for pair in pairs]
    fits = _best_of_stack(K, problems, Cs, options)
    for _ in pairs:
        with options.step("pair"):
            pass
    return dict(zip(pairs, fits, strict=True))


def _labels(pair: Pair, matrices: PairMatrices, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels and weights of a pair's rows; a positive score speaks for its first class."""
    i, j = pair
    both = np.concatenate([weight[matrices.classes[i]], weight[matrices.classes[j]]])
    return np.repeat([1, 0], [matrices.sizes[i], matrices.sizes[j]]), both


def _best_of_stack(K: np.ndarray, problems: list, Cs, options: Options) -> list[Fit]:
    """The C of least leave-one-out loss and its fit, for each matrix of a stack and its (labels, weights).

    Fits warm-start one another.
    """
    sign, weight = np.zeros((2, *K.shape[:2]))
    for q, (labels, w) in enumerate(problems):
        sign[q, : len(w)], weight[q, : len(w)] = np.where(labels == 1, 1.0, -1.0), w
    start = np.zeros_like(sign), np.zeros(len(sign))
    fits: list[list[tuple[float, float, LogisticFunction]]] = [[] for _ in problems]
    for C in sorted(Cs):
        stack = BinaryStack(K, sign, C * weight, options.fit_intercept)
        found = stacked_subspaces(stack, start, tol=options.tol, max_iter=options.max_iter)
        start = found.A, found.b
        for q, (labels, w) in enumerate(problems):
            function = _function(found, q, len(w), options.fit_intercept)
            if not function.solution.converged:
                matrix = DenseMatrix(mirrored(K[q, : len(w), : len(w)]))
                function = fit_matrix(matrix, labels, C * w, options, function)
            loss = 0.0
            if len(Cs) > 1:
                loss = leave_one_out_loss(mirrored(K[q, : len(w), : len(w)]), labels, w, C, function)
            fits[q].append((loss, C, function))
    return [min(tried, key=lambda fit: fit[0])[1:] for tried in fits]


def mirrored(K: np.ndarray) -> np.ndarray:
    """The symmetric matrix whose lower triangle is that of K."""
    return np.tril(K) + np.tril(K, -1).T


def _function(found: StackedSolution, q: int, n: int, fit_intercept: bool) -> LogisticFunction:
    """Function q of a stack, without padding."""
    dual, intercept = found.A[q, :n, np.newaxis], found.b[q : q + 1]
    coef = np.concatenate([dual, intercept[:, np.newaxis]]) if fit_intercept else dual
    how = float(found.value[q]), float(found.residual[q]), int(found.n_iter[q]), bool(found.converged[q])
    return LogisticFunction(np.arange(n), dual, intercept, Solution(coef, *how))
