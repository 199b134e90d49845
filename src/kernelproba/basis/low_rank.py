"""A kernel matrix as a low rank and a diagonal, K ≈ ΦΦᵀ + Λ, by Cholesky with pivoting.

What the rank leaves of a row, Λᵢ = k(xᵢ, xᵢ) − ‖φᵢ‖², is kept as the row's own: the diagonal of K is exact,
and a kernel so narrow that no low rank describes it becomes the diagonal that it nearly is.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

#: Up to so many rows LAPACK's factorisation of the whole matrix is faster than one that stops.
WHOLE_ROWS = 800


@dataclass(frozen=True)
class LowRank:
    """K ≈ ΦΦᵀ + diag(rest).

    Parameters
    ----------
    Phi : array of shape (n, r)
        Φ, in double precision, the columns in the order of the pivots.
    rest : array of shape (n,)
        Diagonal of Λ, not negative.
    left : array of shape (r,)
        What the columns before leave of the row that is the next pivot, the most of any row; decreasing.
    """

    Phi: np.ndarray
    rest: np.ndarray
    left: np.ndarray

    def truncated(self, tol: float) -> "LowRank":
        """The fewest columns that leave at most `tol` of any row, or all."""
        r = int(np.count_nonzero(self.left > tol))
        dropped = self.Phi[:, r:]
        return LowRank(self.Phi[:, :r], self.rest + np.einsum("ij,ij->i", dropped, dropped), self.left[:r])


def low_rank(
    column: Callable[[int], np.ndarray], diagonal: np.ndarray, *, max_rank: int, tol: float
) -> LowRank:
    """Factorise a positive semi-definite matrix of which columns are asked for one by one.

    Each pivot is the row of which most is left, until at most `tol` is left of any or `max_rank` is reached.
    Cost: r columns and n r² operations.

    Parameters
    ----------
    column : callable
        j → K[:, j], shape (n,).
    diagonal : array of shape (n,)
        Diagonal of K.
    max_rank : int
        Bound on r.
    tol : float
        What may be left of a row.
    """
    rest, left = np.array(diagonal, dtype=np.float64), []
    Phi = np.zeros((len(rest), min(max_rank, len(rest))), order="F")
    for r in range(Phi.shape[1]):
        pivot = int(rest.argmax())
        if rest[pivot] <= tol:
            break
        left.append(rest[pivot])
        Phi[:, r] = column(pivot) - Phi[:, :r] @ Phi[pivot, :r]
        Phi[:, r] /= np.sqrt(rest[pivot])
        rest = np.maximum(rest - Phi[:, r] ** 2, 0.0)
        rest[pivot] = 0.0
    return LowRank(Phi[:, : len(left)], rest, np.array(left))


def low_rank_of_matrix(K: np.ndarray, *, max_rank: int, tol: float) -> LowRank:
    """Do the same to a matrix K (n, n) that is there."""
    diagonal = K.diagonal().astype(np.float64)
    if len(K) > WHOLE_ROWS:
        return low_rank(lambda j: K[j].astype(np.float64), diagonal, max_rank=max_rank, tol=tol)
    L, pivots, rank, _ = lapack.dpstrf(K, tol=tol, lower=1)
    L = np.tril(L[:, : min(rank, max_rank)])
    Phi = np.empty_like(L)
    Phi[pivots - 1] = L
    rest = np.maximum(diagonal - np.einsum("ij,ij->i", Phi, Phi), 0.0)
    return LowRank(Phi, rest, L.diagonal() ** 2)
