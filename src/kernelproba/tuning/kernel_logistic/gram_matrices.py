"""Kernel matrices of the rows of a search, whole or by a factor, and parts of them for folds.

The linear kernel of d features is XXᵀ: with far fewer features than rows a product with X and one with Xᵀ
take a small share of the time and memory of the whole matrix.  So it is with a wide RBF kernel, which is
nearly a polynomial, and a weak penalty, which would need the whole matrix in double precision: 3000 rows of
21 features, C = 3·10⁴ and a width at which rank 150 leaves 10⁻⁶ take a third of the time.
"""

from typing import Protocol

import numpy as np

from kernelproba.basis.low_rank import LowRank, low_rank, low_rank_of_matrix
from kernelproba.estimators.kernel_logistic.exact import is_thin
from kernelproba.kernels import RBF, Kernel
from kernelproba.kernels.distance_cache import DistanceCache
from kernelproba.objective import DenseMatrix, FactoredMatrix, KernelMatrix
from kernelproba.typing import Matrix

#: Rows for each column of a factor from which on one is taken for a kernel of nearly that rank.
ROWS_PER_RANK = 10
#: What such a rank may leave of a row, relative to 1/ω.
RANK_TOL_PER_C = 0.01


class GramMatrix(Protocol):
    """Kernel values of rows with each other."""

    def among(self, rows: np.ndarray | None) -> KernelMatrix:
        """Those of some rows with each other; None for all."""

    def scores(self, rows: np.ndarray, centers: np.ndarray, dual: np.ndarray) -> np.ndarray:
        """Sums over centres of kernel values times coefficients, for some rows, in double precision."""

    def low_rank(self, max_rank: int, tol: float) -> LowRank:
        """Low rank that leaves at most `tol` of any row, or the largest there may be."""


class WholeGram:
    """The matrix K (n, n) itself."""

    def __init__(self, K: np.ndarray):
        self.K = K

    def among(self, rows: np.ndarray | None) -> KernelMatrix:
        return DenseMatrix(self.K if rows is None else _part(self.K, rows, rows))

    def scores(self, rows: np.ndarray, centers: np.ndarray, dual: np.ndarray) -> np.ndarray:
        return _part(self.K, rows, centers).astype(np.float64, copy=False) @ dual

    def low_rank(self, max_rank: int, tol: float) -> LowRank:
        return low_rank_of_matrix(self.K, max_rank=max_rank, tol=tol)


def _part(K: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Some rows and columns of K: one after the other they are copied in a quarter of the time."""
    return K.take(rows, axis=0).take(columns, axis=1)


class FactoredGram:
    """K = ΦΦᵀ by its factor Φ (n, d), in double precision."""

    def __init__(self, Phi: np.ndarray):
        self.Phi = Phi.astype(np.float64, copy=False)

    def among(self, rows: np.ndarray | None) -> KernelMatrix:
        return FactoredMatrix(self.Phi if rows is None else self.Phi[rows])

    def scores(self, rows: np.ndarray, centers: np.ndarray, dual: np.ndarray) -> np.ndarray:
        return self.Phi[rows] @ (self.Phi[centers].T @ dual)

    def low_rank(self, max_rank: int, tol: float) -> LowRank:
        n, r = self.Phi.shape
        if r <= max_rank:
            return LowRank(self.Phi, np.zeros(n), np.full(r, np.inf))
        diagonal = np.einsum("ij,ij->i", self.Phi, self.Phi)
        return low_rank(lambda j: self.Phi @ self.Phi[j], diagonal, max_rank=max_rank, tol=tol)


def has_factor(kernel: Kernel, X: Matrix) -> bool:
    """Whether the rows themselves are a factor of their kernel matrix, and a thin one."""
    return isinstance(X, np.ndarray) and is_thin(kernel, X)


def wide_factor(kernel: Kernel, distances: DistanceCache, weight: float) -> np.ndarray | None:
    """Factor Φ (n, r) that leaves little of a wide RBF kernel at weights up to ω; None if r is not small.

    Parameters
    ----------
    kernel : Kernel
        Of any kind.
    distances : DistanceCache
        Of the rows with each other.
    weight : float
        ω.
    """
    if not isinstance(kernel, RBF) or not isinstance(distances.X, np.ndarray):
        return None
    n = len(distances.X)
    found = low_rank(
        lambda j: distances.matrix(kernel, np.float64, np.array([j]))[0],
        np.ones(n),
        max_rank=n // ROWS_PER_RANK,
        tol=(tol := RANK_TOL_PER_C / weight),
    )
    return found.Phi if found.rest.max(initial=0.0) <= tol else None
