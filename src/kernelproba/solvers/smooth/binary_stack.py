"""Several binary problems, with a kernel matrix each or one for all, and their losses."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import get_blas_funcs

from kernelproba.losses import logistic_terms
from kernelproba.objective import DenseMatrix

#: Rows from which on a triangle is multiplied in less time than a whole matrix.
SYMMETRIC_ROWS = 100


def dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Inner products (p,) of the rows of two stacks (p, n)."""
    return np.vecdot(A, B)


@dataclass
class BinaryStack:
    """p problems of n rows: matrices (p, n, n), labels ±1, weights ω (p, n); padding is zero in all three.

    From `SYMMETRIC_ROWS` rows on only the lower triangles of the matrices are read, unless all problems share
    one matrix: a product for all of them reads it once.
    """

    K: Sequence[np.ndarray] | np.ndarray
    sign: np.ndarray
    weights: np.ndarray
    fit_intercept: bool

    def __post_init__(self) -> None:
        self.dtype = self.K[0].dtype
        self._symv, self.eps = get_blas_funcs("symv", dtype=self.dtype), float(np.finfo(self.dtype).eps)
        diagonal = np.array([matrix.diagonal() for matrix in self.K], dtype=np.float64)
        self.mean_diagonal = diagonal.sum(axis=1) / np.maximum((self.sign != 0).sum(axis=1), 1)
        self.max_diagonal = diagonal.max(axis=1)
        self._shared = DenseMatrix(self.K[0]) if _are_one(self.K) else None
        small = self._shared is None and self.sign.shape[1] < SYMMETRIC_ROWS
        self._matrices = np.asarray(self.K) if small else None

    def take(self, index: np.ndarray) -> "BinaryStack":
        """Only these problems."""
        K = [matrix for matrix, taken in zip(self.K, index, strict=True) if taken]
        return BinaryStack(K, self.sign[index], self.weights[index], self.fit_intercept)

    def product(self, A: np.ndarray) -> np.ndarray:
        """K A of each problem, in double precision."""
        A = A.astype(self.dtype, copy=False)
        if self._shared is not None:
            return self._shared.product(A.T).T
        if self._matrices is not None:
            return np.matmul(self._matrices, A[..., np.newaxis])[..., 0].astype(np.float64, copy=False)
        # Bound by memory: one triangle is enough.
        KA = np.empty(A.shape)
        for matrix, a, out in zip(self.K, A, KA, strict=True):
            out[:] = self._symv(1.0, matrix.T, a)
        return KA

    def losses(self, F: np.ndarray) -> "StackLosses":
        """Losses and derivatives at scores F."""
        loss, slope, curvature = logistic_terms(self.sign * F)
        return StackLosses(
            dots(self.weights, loss), self.weights * self.sign * slope, self.weights * curvature
        )


def _are_one(matrices: Sequence[np.ndarray] | np.ndarray) -> bool:
    """Whether several problems have one and the same matrix."""
    return len(matrices) > 1 and all(matrix is matrices[0] for matrix in matrices)


@dataclass
class StackLosses:
    """Σ ωℓ (p,), G = ω∂ℓ and D = ω∂²ℓ (p, n)."""

    value: np.ndarray
    G: np.ndarray
    D: np.ndarray
