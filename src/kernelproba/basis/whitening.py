"""Functions f(x) = Σⱼ αⱼ k(x, zⱼ) in coordinates w with ‖f‖ = ‖w‖.

From K_zz = L Lᵀ the whitened features are φ(x) = L⁻¹ k(Z, x): then φ(x)ᵀφ(z) = k(x, z) on the centres,
f(x) = φ(x)ᵀw with α = L⁻ᵀw, and ‖f‖²= αᵀK_zzα = ‖w‖².  Cholesky with pivoting chooses as centres the
rows that matter and leaves out those that the others already span (duplicates, or all but d + 1 rows of
a linear kernel), so singular kernel matrices need no jitter.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import eigh, lapack, solve_triangular

from kernelproba.kernels import Kernel
from kernelproba.typing import Matrix

#: Share of a kernel matrix that may stay unexplained: single precision, for matrices others computed.
PRECISION = 1e-5


class KernelBasis(Protocol):
    """Centres among the training rows and the change between the two kinds of coefficients."""

    @property
    def index(self) -> np.ndarray:
        """Rows of the training data that are centres, shape (m,)."""

    def dual(self, W: np.ndarray) -> np.ndarray:
        """Kernel coefficients α (m, k) of a function given by its coordinates W (r, k)."""

    def coordinates(self, values: np.ndarray) -> np.ndarray:
        """W (r, k) of the function that takes given values (m, k) on the centres."""


@dataclass(frozen=True)
class CholeskyBasis:
    """Basis of a positive semi-definite kernel: K_zz = L Lᵀ."""

    index: np.ndarray
    factor: np.ndarray

    def dual(self, W):
        return solve_triangular(self.factor, W, lower=True, trans=1, check_finite=False)

    def coordinates(self, values):
        return solve_triangular(self.factor, values, lower=True, check_finite=False)


@dataclass(frozen=True)
class SpectralBasis:
    """Basis of an indefinite kernel on the positive part of its spectrum: α = U Λ^(−½) w."""

    index: np.ndarray
    vectors: np.ndarray
    roots: np.ndarray

    def dual(self, W):
        return self.vectors @ (W / self.roots[:, None])

    def coordinates(self, values):
        return (self.vectors.T @ values) / self.roots[:, None]


def span_rows(kernel: Kernel, X: Matrix) -> tuple[KernelBasis, np.ndarray]:
    """Basis spanned by all rows, and its features Φ (n, r) at the rows, ΦΦᵀ = K.

    Cost: n² kernel values and n³/3 operations (n r² when the kernel matrix has rank r).

    Parameters
    ----------
    kernel : Kernel
        A kernel that calls itself definite must be so on X.  Of any other (the sigmoid, a callable) the
        positive part of the spectrum is used where the kernel matrix turns out indefinite.
    X : array of shape (n, d)
        The rows.
    """
    K = kernel(X, kernel.select(X, np.arange(X.shape[0])))
    K = np.asfortranarray(K, dtype=np.float64)
    diagonal = K.diagonal().copy()
    basis, Phi, residual = _pivoted_cholesky(K)
    if residual <= PRECISION:
        return basis, Phi
    if kernel.definite:
        raise ValueError(
            "The kernel matrix is not positive semi-definite: its Cholesky factor leaves "
            f"{residual:.1e} of it unexplained. Use a positive definite kernel, or correct a precomputed "
            "matrix by clipping its negative eigenvalues (numpy.linalg.eigh) before fit and predict."
        )
    K = np.triu(K, 1)  # the factorisation has overwritten the rest
    return _positive_spectrum(K + K.T + np.diag(diagonal))


def _pivoted_cholesky(K: np.ndarray) -> tuple[CholeskyBasis, np.ndarray, float]:
    """P K Pᵀ = L Lᵀ in place of the lower triangle; also ‖(K − ΦΦᵀ)z‖/‖Kz‖ for a random z.

    The factorisation stops where the remaining diagonal is rounding, or negative: the random probe then
    tells a rank from an indefinite matrix.
    """
    z = np.random.default_rng(0).standard_normal(len(K))
    image = K @ z
    L, pivots, rank, _ = lapack.dpstrf(K, lower=1, overwrite_a=1)
    L = np.tril(L[:, :rank])
    Phi = np.empty((len(L), rank))
    Phi[pivots - 1] = L
    residual = np.linalg.norm(image - Phi @ (Phi.T @ z)) / max(np.linalg.norm(image), np.finfo(float).tiny)
    return CholeskyBasis(pivots[:rank] - 1, np.asfortranarray(L[:rank])), Phi, float(residual)


def _positive_spectrum(K: np.ndarray) -> tuple[SpectralBasis, np.ndarray]:
    """K = U Λ Uᵀ restricted to Λ > 0."""
    values, U = eigh(K, overwrite_a=True, check_finite=False)
    keep = values > len(K) * np.finfo(float).eps * np.abs(values).max(initial=0.0)
    roots, U = np.sqrt(values[keep]), U[:, keep]
    return SpectralBasis(np.arange(len(K)), U, roots), U * roots
