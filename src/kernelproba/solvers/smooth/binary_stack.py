"""Several binary problems, each with its own kernel matrix, and their losses."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import get_blas_funcs

from kernelproba.losses import logistic_terms

#: Rows from which on a triangle is multiplied in less time than a whole matrix.
SYMMETRIC_ROWS = 100


def dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Inner products (p,) of the rows of two stacks (p, n)."""
    return np.vecdot(A, B)


@dataclass
class BinaryStack:
    """p problems of n rows: matrices (p, n, n), labels ±1, weights ω (p, n); padding is zero in all three.

    From `SYMMETRIC_ROWS` rows on only the lower triangles of the matrices are read.
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
        self._matrices = None if self.sign.shape[1] >= SYMMETRIC_ROWS else np.asarray(self.K)

    def take(self, index: np.ndarray) -> "BinaryStack":
        """Only these problems."""
        K = [matrix for matrix, taken in zip(self.K, index, strict=True) if taken]
        return BinaryStack(K, self.sign[index], self.weights[index], self.fit_intercept)

    def product(self, A: np.ndarray) -> np.ndarray:
        """K A of each problem, in double precision."""
        A = A.astype(self.dtype, copy=False)
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


@dataclass
class StackLosses:
    """Σ ωℓ (p,), G = ω∂ℓ and D = ω∂²ℓ (p, n)."""

    value: np.ndarray
    G: np.ndarray
    D: np.ndarray
