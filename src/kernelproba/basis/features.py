"""Whitened features of any row from centres among some rows, and what they leave of k(x, x).

φ(x) = L⁻¹ k(Z, x) with K_zz = LLᵀ: then φ(x)ᵀφ(z) = k(x, z) where x or z is a centre, and
k(x, x) − ‖φ(x)‖² ≥ 0 is what the centres leave of x.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from kernelproba.basis.centers import randomly_pivoted_cholesky, span_centers
from kernelproba.basis.whitening import CholeskyBasis
from kernelproba.kernels import Kernel
from kernelproba.typing import Matrix

#: What is left of the largest k(x, x) below this share is rounding.
ROUNDING = 1e-10


@dataclass(frozen=True)
class CenterFeatures:
    """Features of centres Z (m, d): k the kernel, `basis` their whitening."""

    kernel: Kernel
    Z: Matrix
    basis: CholeskyBasis

    @classmethod
    def among(cls, kernel: Kernel, X: Matrix, max_rank: int, tol: float = 0.0) -> "CenterFeatures":
        """Choose as many of the rows X as span them up to a share `tol` or rounding, `max_rank` at most."""
        basis = _pivoted_basis(kernel, X, tol) if X.shape[0] <= max_rank else None
        if basis is not None:
            return cls(kernel, X[basis.index], basis)
        rng = np.random.RandomState(0)
        index = randomly_pivoted_cholesky(kernel, X, min(max_rank, X.shape[0]), rng, tol)
        Z = X[index]
        return cls(kernel, Z, span_centers(kernel, Z, index))

    def __call__(self, X: Matrix) -> tuple[np.ndarray, np.ndarray]:
        """Return φ (n, m) of rows X and what the centres leave of each, (n,); m (d + m) operations a row."""
        K = np.asarray(self.kernel(X, self.Z), dtype=np.float64)
        Phi = self.basis.coordinates(K.T).T
        diagonal = np.asarray(self.kernel.diag(X), dtype=np.float64)
        return Phi, np.maximum(diagonal - np.einsum("ij,ij->i", Phi, Phi), 0.0)

    def along(self, V: np.ndarray) -> "DirectionFeatures":
        """Coordinates Vᵀφ along directions V (m, s) alone."""
        return DirectionFeatures(self.kernel, self.Z, self.basis.dual(V))


@dataclass(frozen=True)
class DirectionFeatures:
    """Coordinates along some directions of features: k the kernel, Z (m, d) centres, `map` (m, s) = L⁻ᵀV."""

    kernel: Kernel
    Z: Matrix
    map: np.ndarray

    def __call__(self, X: Matrix) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates (n, s) of rows X and k(x, x), (n,); m (d + s) operations a row."""
        K = np.asarray(self.kernel(X, self.Z), dtype=np.float64)
        return K @ self.map, np.asarray(self.kernel.diag(X), dtype=np.float64)


def _pivoted_basis(kernel: Kernel, X: Matrix, tol: float) -> CholeskyBasis | None:
    """Cholesky of the whole kernel matrix, largest remainder first; None where k(x, x) is 0 everywhere.

    The matrix is one block, and few rows are spanned by it in a third of the time of draws.
    """
    K = np.array(kernel(X, X), dtype=np.float64, order="F")
    diagonal = K.diagonal()
    least = max(tol * diagonal.mean(), ROUNDING * diagonal.max())
    factor, pivots, rank, _ = lapack.dpstrf(K, tol=least, lower=1, overwrite_a=1)
    if rank == 0:
        return None
    return CholeskyBasis(pivots[:rank] - 1, np.asfortranarray(np.tril(factor[:rank, :rank])))
