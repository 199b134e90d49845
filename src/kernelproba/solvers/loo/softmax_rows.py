"""Leave-one-out of a softmax by n × n matrices, for kernel matrices K̂ = ΦΦᵀ of nearly full rank.

With the notation of `solvers.loo.softmax`, R = D̂ − D̂ŜD̂ has the blocks

    Eₐ = (diag(eₐ)⁻¹ + K̂)⁻¹,      M = Σₐ Eₐ,      R(a, b) = δ_ab Eₐ − Eₐ M⁻¹ E_b

and S₋ᵢ = Rᵢ⁻¹ − D̂ᵢ⁻¹ among the differences of scores from that of the row's likeliest class c, where D̂ᵢ⁻¹ is
diag(1/eₐ) + 11ᵀ/e_c: some 2 k n³ operations.  An intercept of penalty δ takes its share,

    u = Eₐ1,      Eₐ ← Eₐ − uuᵀ / (δ + 1ᵀu)

**Single precision** takes 0.4 of the time, and serves while eigenvalues of √e K̂ √e are below 3·10⁵.  Free
intercepts (δ = 0) leave M singular, M1 = 0, but no block of R depends on that: M + s11ᵀ is as good for s > 0.
What cancels in Rᵢ⁻¹ − D̂ᵢ⁻¹ of rows with little curvature does not matter, unless a force that is not small
pushes the row.
"""

import numpy as np
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from kernelproba.linalg import jittered_cholesky, triangular_inverse

#: Least curvature of a class relative to that of the row.
LEAST_CURVATURE = 1e-10
#: Bound on the eigenvalues of I + √e K̂ √e, least curvature of a class relative to the penalty of its
#: intercept, and least curvature of a row, in single precision.
SINGLE_PRECISION_RANGE, FREE_INTERCEPT, LEAST_SINGLE = 3e5, 100.0, 1e-30


def cavities_in_rows(
    Phi: np.ndarray, penalty: float, E: np.ndarray, Q: np.ndarray, surprising: bool
) -> np.ndarray:
    """(I − ŜD̂)⁻¹ Ŝ of every row among differences of scores, (n, k − 1, k − 1): see `softmax_cavities`."""
    E = np.maximum(E, LEAST_CURVATURE * E.sum(axis=1, keepdims=True))
    if not surprising and _is_single(Phi, penalty, E):
        R = _precision_blocks(Phi.astype(np.float32), 0.0 if np.isfinite(penalty) else np.inf, E)
        if R is not None:
            return _cavities(R, E, Q)
    R = _precision_blocks(Phi, penalty, E)
    assert R is not None
    return _cavities(R, E, Q)


def _is_single(Phi: np.ndarray, penalty: float, E: np.ndarray) -> bool:
    """Whether single precision leaves the matrices what they are."""
    largest = 1 + (np.einsum("ij,ij->i", Phi, Phi) @ E).max(initial=0.0)
    free = penalty == np.inf or E.sum(axis=0).min() >= FREE_INTERCEPT * penalty
    return bool(largest <= SINGLE_PRECISION_RANGE and free and E.min(initial=1.0) >= LEAST_SINGLE)


def _cavities(R: np.ndarray, E: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """R⁻¹ − D̂⁻¹ of every row in the basis Q, by differences from the class of most curvature."""
    q, row, top = Q.shape[1], np.arange(len(E)), E.argmax(axis=1)
    others = np.arange(q) + (np.arange(q) >= top[:, None])
    root = np.sqrt(E[row[:, None], others])
    scale = root[:, :, None] * root[:, None, :]
    R = R[row[:, None, None], others[:, :, None], others[:, None, :]] / scale
    S = (np.linalg.inv(R) - np.eye(q) - scale / E[row, top][:, None, None]) / scale
    return Q[others].transpose(0, 2, 1) @ S @ Q[others]


def _precision_blocks(Phi: np.ndarray, penalty: float, E: np.ndarray) -> np.ndarray | None:
    """Rᵢ for every row, (n, k, k), computed in the precision of Φ; None if single is not enough."""
    K, single = Phi @ Phi.T, Phi.dtype == np.float32
    parts = [_precision(K, e, penalty) for e in E.T]
    M = sum(parts[1:], start=parts[0])
    if single and penalty != np.inf:
        M += M.diagonal().mean() / len(M)
    L = factor(M)
    if single and not np.isfinite(L.diagonal()).all():
        return None
    # M = LLᵀ, and L⁻¹ Eₐ is one factor of the second term of R; the transpose has BLAS's order of entries.
    root, trmm = triangular_inverse(L), get_blas_funcs("trmm", (L,))
    R = -column_products([trmm(1.0, root, part.T, lower=1) for part in parts])
    for a, part in enumerate(parts):
        R[:, a, a] += part.diagonal()
    return R


def _precision(K: np.ndarray, e: np.ndarray, penalty: float) -> np.ndarray:
    """(diag(e)⁻¹ + K)⁻¹ = √e (I + √e K √e)⁻¹ √e, less the share of an intercept."""
    root = np.sqrt(e).astype(K.dtype)
    B = K * root
    B *= root[:, None]
    B.flat[:: len(e) + 1] += 1
    half = triangular_inverse(factor(B))
    half *= root
    half, _ = get_lapack_funcs("lauum", (half,))(half, lower=1, overwrite_c=1)
    precision = half + half.T
    precision.flat[:: len(e) + 1] /= 2
    if penalty != np.inf:
        u = precision.sum(axis=0, dtype=np.float64)
        u = (u / np.sqrt(penalty + u.sum())).astype(K.dtype)
        precision -= np.multiply.outer(u, u)
    return precision


def column_products(parts: list[np.ndarray]) -> np.ndarray:
    """Products of the columns i of the parts a and b, for every i, (n, k, k)."""
    n, k = parts[0].shape[1], len(parts)
    products = np.empty((n, k, k))
    for a, b in zip(*np.tril_indices(k), strict=True):
        products[:, a, b] = products[:, b, a] = np.einsum("ji,ji->i", parts[a], parts[b])
    return products


def factor(A: np.ndarray) -> np.ndarray:
    """L of A = LLᵀ, positive definite up to rounding: weights far apart leave it less than that."""
    L, info = get_lapack_funcs("potrf", (A,))(A.T, lower=1, clean=1)
    if info == 0:
        return L
    if A.dtype == np.float32:
        return np.full_like(A, np.nan)
    return jittered_cholesky(A, len(A) * np.finfo(float).eps * np.abs(A.diagonal()))
