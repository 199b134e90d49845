"""kLOGREG: one binary logistic function per pair of classes (roth2001, §3).

Pair (i, j), i < j, has the score f_ij(x) = Σ α k(x, z) + b over the rows z of its two classes, and
r_ij(x) = σ(f_ij(x)) is the probability of i among the two.  Each square K_ii is computed once and serves
c − 1 pairs, each rectangle K_ij serves one; the whole kernel matrix never exists.  Coefficients are kept as
SVC keeps them: centres sorted by class, dual (c − 1, m), the coefficient of a centre of class i in the pair
with class j being in row j if j < i, else j − 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.kernel_logistic.exact import LogisticFunction, Options, fit_matrix
from kernelproba.kernels import Kernel, kernel_matrix, rows_in
from kernelproba.kernels.expansion import expansion_scores
from kernelproba.objective import DenseMatrix
from kernelproba.solvers import Solution
from kernelproba.solvers.loo.logistic import leave_one_out_loss


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
    parts = [expansion_scores(K[:, s], dual[:, s].T) for s in (slice(*bounds[i : i + 2]) for i in range(c))]
    scores = [parts[i][:, j - 1] + parts[j][:, i] for i, j in class_pairs(c)]
    return np.stack(scores, axis=1) + intercept


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
    bounds = np.searchsorted(y[order], np.arange(y.max() + 2))
    # The leave-one-out weights need a factorisation, hence double precision.
    dtype = np.float64 if len(Cs) > 1 else options.precision(len(y))
    X, weight = rows_in(dtype, kernel, X)[order], weight[order]
    classes = [slice(*bounds[i : i + 2]) for i in range(len(bounds) - 1)]
    squares = [kernel_matrix(kernel, X[s], dtype) for s in classes]

    def fit(i, j):
        K = _pair_matrix(kernel, X, (classes[i], classes[j]), (squares[i], squares[j]))
        labels = np.repeat([1, 0], [len(squares[i]), len(squares[j])])  # a positive score speaks for class i
        pair_weight = np.concatenate([weight[classes[i]], weight[classes[j]]])
        with options.step("pair"):
            return _best(K, labels, pair_weight, Cs, options)

    pairs = class_pairs(len(classes))
    with threadpool_limits(limits=1, user_api="blas"):
        fits = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(fit)(i, j) for i, j in pairs)
    dual = np.zeros((len(classes) - 1, len(y)))
    for (i, j), (_, function) in zip(pairs, fits, strict=True):
        dual[j - 1, classes[i]], dual[i, classes[j]] = np.split(function.dual[:, 0], [len(squares[i])])
    return LogisticPairs(
        order=order,
        bounds=bounds,
        dual=dual,
        intercept=np.array([function.intercept[0] for _, function in fits]),
        C=np.array([C for C, _ in fits]),
        solutions=[function.solution for _, function in fits],
    )


def _pair_matrix(kernel: Kernel, X, classes, squares) -> np.ndarray:
    """[K_ii, K_ij; K_ijᵀ, K_jj]."""
    n = len(squares[0])
    K = np.empty((n + len(squares[1]),) * 2, dtype=squares[0].dtype)
    K[:n, :n], K[n:, n:] = squares
    K[:n, n:] = kernel(X[classes[0]], X[classes[1]])
    K[n:, :n] = K[:n, n:].T
    return K


def _best(K, labels, weight, Cs, options) -> tuple[float, LogisticFunction]:
    """The C of least leave-one-out loss, and its fit; fits warm-start one another."""
    fits, function = [], None
    for C in sorted(Cs):
        function = fit_matrix(DenseMatrix(K), labels, C * weight, options, function)
        loss = leave_one_out_loss(K, labels, weight, C, function) if len(Cs) > 1 else 0.0
        fits.append((loss, C, function))
    _, C, function = min(fits, key=lambda fit: fit[0])
    return C, function
