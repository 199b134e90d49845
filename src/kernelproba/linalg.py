"""Factors and inverses of positive definite matrices.

The inverse of a triangle is computed by halves::

    ⎡A   0⎤⁻¹   ⎡   A⁻¹      0 ⎤
    ⎣B   C⎦   = ⎣−C⁻¹BA⁻¹   C⁻¹⎦

Products of triangles run at the speed of matrix products, which LAPACK's own substitution does not: of 200
to 450 rows this takes half its time.
"""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import get_blas_funcs, get_lapack_funcs, lapack

from kernelproba.typing import Matrix

#: Rows up to which LAPACK's substitution is taken.
LEAST_ROWS = 64
#: By how much a jitter grows at a time, and how often at most: from rounding to the size of the matrix.
GROWTH, MOST_ATTEMPTS = 10.0, 20


def densify(A: Matrix) -> np.ndarray:
    """Return A as it is if dense, else as a dense array."""
    return A if isinstance(A, np.ndarray) or not sp.issparse(A) else A.toarray()


class NotDefiniteError(ValueError):
    """A matrix that should be positive definite is far from it, or not finite."""


def stacked_rows(*parts: Matrix) -> Matrix:
    """Return matrices one below the other: a CSR matrix if all are sparse, else an array."""
    if all(sp.issparse(part) for part in parts):
        return sp.vstack(parts, format="csr")
    return np.concatenate([densify(part) for part in parts])


def jittered_cholesky(A: np.ndarray, jitter: float | np.ndarray) -> np.ndarray:
    """Lower L, in Fortran's order, with L Lᵀ = A + diag(jitter).

    The jitter grows tenfold while rounding leaves that matrix indefinite.

    Parameters
    ----------
    A : array of shape (n, n)
        Positive semi-definite, up to rounding.
    jitter : float or array of shape (n,)
        Least addition to the diagonal, at the level of rounding.
    """
    least = np.maximum(jitter, np.finfo(float).tiny)
    for attempt in range(MOST_ATTEMPTS):
        shifted = np.array(A, dtype=np.float64, order="F")
        shifted.reshape(-1, order="F")[:: len(A) + 1] += least * GROWTH**attempt
        L, info = lapack.dpotrf(shifted, lower=1, clean=1, overwrite_a=1)
        if info == 0 and np.isfinite(L.diagonal()).all():  # LAPACK lets NaN pass
            return L
    raise NotDefiniteError(
        "A kernel matrix of X is far from positive definite, or its products overflow: scale X, choose "
        "another kernel or gamma, or bring C and the weights nearer to 1."
    )


def relative_jitter(A: np.ndarray, share: float) -> float:
    """Return a share of the mean diagonal entry of A (n, n)."""
    return share * float(np.mean(np.abs(A.diagonal()))) if len(A) else share


def solve_semidefinite(H: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """Solve H x = rhs, one or several columns, for a positive semi-definite H and rhs in its range.

    H is brought to unit diagonal first, so that features of very different scale are told apart from
    singularity.  A ridge at rounding level, grown only if needed, picks a solution without moving it.
    """
    if len(H) == 0:
        return np.zeros_like(rhs)
    diagonal = np.einsum("ii->i", H)
    scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    L = jittered_cholesky(H * scale[:, None] * scale, len(H) * np.finfo(float).eps)
    return (lapack.dpotrs(L, (rhs.T * scale).T, lower=1)[0].T * scale).T


def triangular_inverse(L: np.ndarray) -> np.ndarray:
    """L⁻¹ of a lower triangle L (n, n) whose upper half is zero."""
    n = len(L)
    if n <= LEAST_ROWS:
        return get_lapack_funcs("trtri", (L,))(L, lower=1)[0]
    trmm = get_blas_funcs("trmm", (L,))
    h, inverse = n // 2, np.zeros((n, n), dtype=L.dtype, order="F")
    A, C = (triangular_inverse(L[part, part]) for part in (slice(h), slice(h, n)))
    inverse[:h, :h], inverse[h:, h:] = A, C
    inverse[h:, :h] = trmm(-1.0, A, trmm(1.0, C, L[h:, :h], lower=1), side=1, lower=1)
    return inverse
