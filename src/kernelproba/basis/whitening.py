"""
Functions f(x) = Σⱼ αⱼ k(x, zⱼ) in coordinates w with ‖f‖ = ‖w‖.

From K_zz = L Lᵀ the whitened features are φ(x) = L⁻¹ k(Z, x): then φ(x)ᵀφ(z) = k(x, z) on the centres,
f(x) = φ(x)ᵀw with α = L⁻ᵀw, and ‖f‖²= αᵀK_zzα = ‖w‖².  Cholesky with pivoting chooses as centres the
rows that matter and leaves out those that the others already span (duplicates, or all but d + 1 rows of
a linear kernel), so singular kernel matrices need no jitter.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.linalg import eigh, lapack, solve_triangular


class KernelBasis(Protocol):
    """Centres among the training rows and the change between the two kinds of coefficients."""

    #: Rows of the training data that are centres, shape (m,).
    index: np.ndarray

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


def span_rows(kernel: Any, X: Any) -> tuple[KernelBasis, np.ndarray]:
    """
    Basis spanned by all rows, and its features Φ (n, r) at the rows, ΦΦᵀ = K.

    Cost: n² kernel values and n³/3 operations (n r² when the kernel matrix has rank r).

    Parameters
    ----------
    kernel : Kernel
        Positive semi-definite kernels are factorised by pivoted Cholesky; of kernels that say they are
        not (`definite` is False, such as the sigmoid) the positive part of the spectrum is used.
    X : array of shape (n, d)
        The rows.
    """
    K = np.asfortranarray(kernel(X, kernel.select(X, np.arange(X.shape[0]))), dtype=np.float64)
    return _pivoted_cholesky(K) if kernel.definite else _positive_spectrum(K)


def _pivoted_cholesky(K: np.ndarray) -> tuple[CholeskyBasis, np.ndarray]:
    """P K Pᵀ = L Lᵀ in place of the lower triangle, stopping where only rounding is left."""
    diagonal = K.diagonal().copy()
    probe = np.random.default_rng(0).standard_normal(len(K))
    image = K @ probe
    L, pivots, rank, info = lapack.dpstrf(K, lower=1, overwrite_a=1)
    if info < 0:  # pragma: no cover - argument errors cannot happen here
        raise RuntimeError(f"LAPACK dpstrf failed with info={info}.")
    index = pivots[:rank] - 1
    L = np.tril(L[:, :rank])
    Phi = np.empty((len(L), rank))
    Phi[pivots - 1] = L
    _refuse_indefinite(diagonal, image - Phi @ (Phi.T @ probe), len(L))
    return CholeskyBasis(index, np.asfortranarray(L[:rank])), Phi


def _refuse_indefinite(diagonal: np.ndarray, residual: np.ndarray, n: int) -> None:
    """Raise if K − ΦΦᵀ, seen through a random vector, is more than rounding and half precision."""
    scale = np.abs(diagonal).max(initial=0.0) * np.sqrt(n)
    worst = float(np.abs(residual).max(initial=0.0))
    if diagonal.min(initial=0.0) < 0 or worst > 1e-5 * max(scale, np.finfo(float).tiny):
        raise ValueError(
            "The kernel matrix is not positive semi-definite: its Cholesky factor leaves a residual of "
            f"{worst:.1e} at entries of size {np.abs(diagonal).max(initial=0.0):.1e}. Use a positive definite "
            "kernel, or correct a precomputed matrix by clipping its negative eigenvalues "
            "(numpy.linalg.eigh) before fit and predict."
        )


def _positive_spectrum(K: np.ndarray) -> tuple[SpectralBasis, np.ndarray]:
    """K = U Λ Uᵀ restricted to Λ > 0."""
    values, U = eigh(K, overwrite_a=True, check_finite=False)
    keep = values > len(K) * np.finfo(float).eps * max(values.max(initial=0.0), np.finfo(float).tiny)
    roots, U = np.sqrt(values[keep]), U[:, keep]
    return SpectralBasis(np.arange(len(K)), U, roots), U * roots
