"""A kernel matrix as a low rank and a diagonal, K ≈ ΦΦᵀ + Λ, by Cholesky with pivoting.

The rank stops where nothing is left or the budget is spent.  What a row has left, Λᵢ = k(xᵢ, xᵢ) − ‖φᵢ‖², is
kept as its own: the diagonal of K is exact, and a kernel so narrow that no rank describes it becomes the
diagonal it is.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LowRank:
    """K ≈ ΦΦᵀ + diag(rest).

    Parameters
    ----------
    Phi : array of shape (n, r)
        Φ, in double precision.
    rest : array of shape (n,)
        Diagonal of Λ, not negative.
    """

    Phi: np.ndarray
    rest: np.ndarray


def low_rank(
    column: Callable[[int], np.ndarray], diagonal: np.ndarray, *, max_rank: int, tol: float
) -> LowRank:
    """Factorise a positive semi-definite matrix of which columns are asked for one by one.

    Each pivot is the row of which most is left: what is left of any row is at most `tol` at the end, unless
    `max_rank` is reached.  Cost: r columns and n r² operations.

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
    rest = np.array(diagonal, dtype=np.float64)
    Phi = np.zeros((len(rest), min(max_rank, len(rest))), order="F")
    rank = 0
    while rank < Phi.shape[1]:
        pivot = int(rest.argmax())
        if rest[pivot] <= tol:
            break
        new = column(pivot) - Phi[:, :rank] @ Phi[pivot, :rank]
        new /= np.sqrt(rest[pivot])
        Phi[:, rank] = new
        rest = np.maximum(rest - new**2, 0.0)
        rest[pivot] = 0.0
        rank += 1
    return LowRank(Phi[:, :rank], rest)
