"""Which rows become centres when not all can: uniform, k-means++, k-means, randomly pivoted Cholesky."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from sklearn.cluster import MiniBatchKMeans, kmeans_plusplus
from sklearn.utils import check_random_state

from ..kernels import Kernel
from .whitening import CholeskyBasis

#: Rows, per centre, of the sample from which costly rules choose.
SAMPLE_ROWS = 20
#: Candidates that randomly pivoted Cholesky draws at a time.
BLOCK = 128


def uniform(kernel: Kernel, X: Any, m: int, rng: np.random.RandomState) -> np.ndarray:  # noqa: ARG001
    """Each row alike."""
    return rng.choice(X.shape[0], m, replace=False)


def k_means_plus_plus(kernel: Kernel, X: Any, m: int, rng: np.random.RandomState) -> np.ndarray:  # noqa: ARG001
    """Rows drawn by their squared distance to those drawn before."""
    return kmeans_plusplus(X, m, random_state=rng)[1]


def randomly_pivoted_cholesky(kernel: Kernel, X: Any, m: int, rng: np.random.RandomState) -> np.ndarray:
    """Rows drawn by what the ones before leave unexplained of k(x, x), in blocks with rejection.

    Drawing pivots by the residual diagonal is within a constant of the best low rank
    [Chen, Epperly, Tropp & Webber 2024]; a block of candidates drawn at once and thinned by rejection
    follows the same law [Epperly, Tropp & Webber 2024].  Cost: n m² operations and n m kernel values.
    """
    n = X.shape[0]
    F = np.zeros((n, m))
    residual = np.asarray(kernel.diag(X), dtype=np.float64).copy()
    floor = residual.max() * n * np.finfo(float).eps
    chosen: list[int] = []
    while len(chosen) < m and residual.max() > floor:
        candidates = rng.choice(n, min(BLOCK, n), p=residual / residual.sum())
        known = F[:, : len(chosen)]
        block = kernel(X[candidates], X[candidates]) - known[candidates] @ known[candidates].T
        accepted = candidates[_thin(block, rng)][: m - len(chosen)]
        G = kernel(X, X[accepted]) - known @ known[accepted].T
        L = cholesky(G[accepted] + floor * np.eye(len(accepted)), lower=True)
        new = solve_triangular(L, G.T, lower=True).T
        F[:, len(chosen) : len(chosen) + len(accepted)] = new
        residual = np.maximum(residual - np.einsum("ij,ij->i", new, new), 0.0)
        residual[accepted] = 0.0
        chosen.extend(accepted)
    return np.array(chosen)


def _thin(block: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Accept candidates in turn with probability (residual now)/(residual when drawn)."""
    drawn, block = block.diagonal().copy(), block.copy()
    accepted = []
    for i in range(len(block)):
        if block[i, i] > 1e-9 * drawn.max() and rng.uniform() * drawn[i] < block[i, i]:
            column = block[:, i] / np.sqrt(block[i, i])
            block -= np.outer(column, column)
            accepted.append(i)
    return np.array(accepted, dtype=int)


RULES: dict[str, Callable[..., np.ndarray]] = {
    "uniform": uniform,
    "k-means++": k_means_plus_plus,
    "rpcholesky": randomly_pivoted_cholesky,
}


def choose_centers(rule: Any, kernel: Kernel, X: Any, m: int, random_state: Any) -> tuple[Any, np.ndarray]:
    """Centres Z, and the rows of X that they are (−1 for centres that are no rows).

    Parameters
    ----------
    rule : {"uniform", "k-means++", "k-means", "rpcholesky"} or array of shape (m, d)
        How to choose; an array is taken as the centres.
    kernel, X
        Kernel and training rows (n, d).
    m : int
        Number of centres, at most n.
    random_state : int, RandomState or None
        Source of the draws.
    """
    if not isinstance(rule, str):
        Z = np.asarray(rule, dtype=X.dtype)
        return Z, np.full(len(Z), -1)
    rng = check_random_state(random_state)
    sample = np.arange(X.shape[0])
    if rule != "uniform" and X.shape[0] > SAMPLE_ROWS * m:
        sample = rng.choice(X.shape[0], SAMPLE_ROWS * m, replace=False)
    if rule == "k-means":
        if sp.issparse(X):
            raise ValueError("centers='k-means' needs dense rows; use 'k-means++' for sparse ones.")
        means = MiniBatchKMeans(m, n_init=1, random_state=rng).fit(X[sample]).cluster_centers_
        return means.astype(X.dtype, copy=False), np.full(m, -1)
    index = sample[RULES[rule](kernel, X[sample], m, rng)]
    return kernel.select(X, index), index


def span_centers(kernel: Kernel, Z: Any, index: np.ndarray) -> CholeskyBasis:
    """Basis of given centres: K_zz + jitter = L Lᵀ, the jitter at rounding level and grown only if needed."""
    K = np.asarray(kernel(Z, Z), dtype=np.float64)
    jitter = len(K) * np.finfo(K.dtype).eps * float(K.diagonal().mean())
    while True:
        try:
            factor = cholesky(K + jitter * np.eye(len(K)), lower=True, check_finite=False)
        except LinAlgError:
            jitter *= 10
            continue
        return CholeskyBasis(index, factor)
