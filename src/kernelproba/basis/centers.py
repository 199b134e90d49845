"""Which rows become centres when not all can: uniform, k-means++, k-means, randomly pivoted Cholesky."""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.cluster import MiniBatchKMeans, kmeans_plusplus
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from kernelproba.basis.whitening import CholeskyBasis
from kernelproba.kernels import Comparison, Kernel
from kernelproba.linalg import jittered_cholesky, relative_jitter, triangular_inverse
from kernelproba.rows.protocol import Rows
from kernelproba.typing import Matrix, RandomState

#: Rows of the sample from which costly rules choose, unless the centres are more than a fifth of it.
SAMPLE_ROWS = 20_000
#: Candidates that randomly pivoted Cholesky draws at a time.
BLOCK = 128
#: Above so many rows the factor is kept in single precision.
SINGLE_PRECISION_ROWS = 1000


def k_means_plus_plus(kernel: Kernel, X: Matrix, m: int, rng: np.random.RandomState) -> np.ndarray:  # noqa: ARG001
    """Rows drawn by their squared distance to those drawn before."""
    return kmeans_plusplus(X, m, random_state=rng)[1]


def randomly_pivoted_cholesky(
    kernel: Kernel, X: Matrix, m: int, rng: np.random.RandomState, tol: float = 0.0
) -> np.ndarray:
    """Rows drawn by what the ones before leave unexplained of k(x, x), in blocks with rejection.

    Drawing pivots by the residual diagonal is within a constant of the best low rank
    [Chen, Epperly, Tropp & Webber 2024]; a block of candidates drawn at once and thinned by rejection
    follows the same law [Epperly, Tropp & Webber 2024].  Cost: n m² operations and n m kernel values.

    Parameters
    ----------
    kernel, X
        Kernel and rows (n, d).
    m : int
        Most rows to choose.
    rng : RandomState
        Source of the draws.
    tol : float, default=0.0
        Stop earlier, once so small a share of Σ k(x, x) is unexplained.
    """
    n = X.shape[0]
    dtype = np.float32 if n > SINGLE_PRECISION_ROWS else np.float64
    F = np.zeros((m, n), dtype=dtype)  # Fᵀ F ≈ K
    residual = np.asarray(kernel.diag(X), dtype=np.float64).copy()
    floor = _rounding(dtype, X.dtype) * residual.max()  # what is left below is rounding
    goal = tol * residual.sum()
    chosen: list[int] = []
    while (r := len(chosen)) < m and residual.max() > floor and residual.sum() > goal:
        candidates = rng.choice(n, min(BLOCK, n), p=residual / residual.sum())
        known = F[:r, candidates].astype(np.float64)
        block = kernel(X[candidates], X[candidates]) - known.T @ known
        accepted = candidates[_thin(block, rng)][: m - r]
        if not len(accepted):  # of rows drawn by what is left of them nothing is left: the rest is rounding
            break
        G = Comparison(kernel, X[accepted], dtype)(X).T - F[:r, accepted].T @ F[:r]
        square = G[:, accepted].astype(np.float64)
        L = jittered_cholesky((square + square.T) / 2, 0.1 * floor)
        new = triangular_inverse(L).astype(dtype) @ G
        F[r : r + len(accepted)] = new
        residual = np.maximum(residual - np.einsum("ij,ij->j", new, new), 0.0)
        residual[accepted] = 0.0
        chosen.extend(accepted)
    return np.array(chosen or [0])  # where k(x, x) is 0 everywhere, any row will do


def _rounding(*dtypes: np.dtype | type) -> float:
    """Share of k(x, x) below which a residual is rounding: single rows have single kernel values."""
    return 1e-6 if np.float32 in dtypes else 1e-10


def _thin(block: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Accept candidates in turn with probability (residual now)/(residual when drawn)."""
    drawn, block = block.diagonal().copy(), block.copy()
    accepted = []
    for i in range(len(block)):
        if block[i, i] > 1e-9 * drawn.max() and rng.uniform() * drawn[i] < block[i, i]:
            column = block[i:, i] / np.sqrt(block[i, i])
            block[i:, i:] -= np.outer(column, column)
            accepted.append(i)
    return np.array(accepted, dtype=int)


#: Rules that choose among the rows of a sample.
RULES: dict[str, Callable[..., np.ndarray]] = {
    "k-means++": k_means_plus_plus,
    "rpcholesky": randomly_pivoted_cholesky,
}


def choose_centers(
    rule: str | ArrayLike,
    kernel: Kernel,
    rows: Rows,
    m: int,
    random_state: RandomState,
    most_rows: int | None = None,
) -> tuple[Matrix, np.ndarray]:
    """Centres Z, and the rows that they are (−1 for centres that are no rows).

    Parameters
    ----------
    rule : {"uniform", "k-means++", "k-means", "rpcholesky"} or array of shape (m, d)
        How to choose; an array is taken as the centres.
    kernel, rows : Kernel, Rows of shape (n, d)
        Kernel and training rows.
    m : int
        Number of centres; no more than n are chosen.
    random_state : int, RandomState or None
        Source of the draws.
    most_rows : int, optional
        Rows among which costly rules may choose at most.
    """
    if not isinstance(rule, str):
        Z = np.asarray(rule, dtype=np.float64)
        return Z, np.full(len(Z), -1)
    m, rng = min(m, len(rows)), check_random_state(random_state)
    if rule == "uniform":
        index = np.sort(sample_without_replacement(len(rows), m, random_state=rng))
        return rows.take(index), index
    index, X = _sample(rows, m, rng, most_rows)
    if rule == "k-means":
        if sp.issparse(X):
            raise ValueError("centers='k-means' needs dense rows; use 'k-means++' for sparse ones.")
        means = MiniBatchKMeans(m, n_init=1, random_state=rng).fit(X).cluster_centers_
        return means.astype(X.dtype, copy=False), np.full(m, -1)
    chosen = RULES[rule](kernel, X, m, rng)
    return X[chosen], index[chosen]


def centers_to_tolerance(
    kernel: Kernel,
    rows: Rows,
    m: int,
    tol: float,
    random_state: RandomState,
    most_rows: int | None = None,
) -> tuple[Matrix, np.ndarray]:
    """Return as few centres as leave a share `tol` of Σ k(x, x) unexplained, m at most, and their rows."""
    rng = check_random_state(random_state)
    index, X = _sample(rows, min(m, len(rows)), rng, most_rows)
    chosen = randomly_pivoted_cholesky(kernel, X, min(m, len(index)), rng, tol)
    return X[chosen], index[chosen]


def _sample(
    rows: Rows, m: int, rng: np.random.RandomState, most_rows: int | None
) -> tuple[np.ndarray, Matrix]:
    """Numbers of some rows, all if they are few, and the rows themselves."""
    size = max(SAMPLE_ROWS, 5 * m)
    size = size if most_rows is None else min(size, most_rows)
    if len(rows) <= size:
        index = np.arange(len(rows))
    else:
        index = np.sort(sample_without_replacement(len(rows), size, random_state=rng))
    return index, rows.take(index)


def span_centers(kernel: Kernel, Z: Matrix, index: np.ndarray) -> CholeskyBasis:
    """Basis of given centres: K_zz + jitter = L Lᵀ, the jitter at rounding level and grown only if needed."""
    K = np.asarray(kernel(Z, Z), dtype=np.float64)
    return CholeskyBasis(index, jittered_cholesky(K, relative_jitter(K, len(K) * np.finfo(float).eps)))
