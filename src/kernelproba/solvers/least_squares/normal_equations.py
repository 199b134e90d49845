"""Ridge regression on sums over rows: the equations of the least-squares posterior fit.

For features φ(x) ∈ ℝᵇ, k targets y(x) and weights s of total S, the squared error

    ½ Σᵢ sᵢ ‖Aᵀφᵢ − yᵢ‖² / S + ½ α ‖A‖²      has its minimum at      (G + α S I) A = M

    G = Σᵢ sᵢ φᵢφᵢᵀ  (b, b),       M = Σᵢ sᵢ φᵢyᵢᵀ  (b, k)

G/S and M/S are H and h of [sugiyama2010].  Both are sums, so rows can arrive in any blocks and order.
The *ridge* of this module is ρ = α S.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike
from scipy.linalg import LinAlgError, eigh, get_blas_funcs, get_lapack_funcs


@dataclass
class NormalEquations:
    """The sums G and M.

    Parameters
    ----------
    gram : array of shape (b, b)
        G, symmetric.
    moment : array of shape (b, k)
        M.
    """

    gram: np.ndarray
    moment: np.ndarray

    @classmethod
    def empty(cls, n_features: int, n_targets: int, dtype=np.float64) -> "NormalEquations":
        """Sums over no rows."""
        return cls(np.zeros((n_features, n_features), dtype), np.zeros((n_features, n_targets), dtype))

    def copy(self) -> "NormalEquations":
        """The same sums in arrays of their own."""
        return NormalEquations(self.gram.copy(), self.moment.copy())

    def __add__(self, other: "NormalEquations") -> "NormalEquations":
        """Sums over the rows of both."""
        return NormalEquations(self.gram + other.gram, self.moment + other.moment)

    def add(self, Phi: np.ndarray, Y: np.ndarray) -> None:
        """Count rows in.

        Parameters
        ----------
        Phi : array of shape (n, b)
            √sᵢ φᵢ, in the precision of the sums; columns cut out of a wider C-ordered array are fine.
        Y : array of shape (n, k)
            √sᵢ yᵢ.
        """
        # A matrix times its own transpose is one rank-k update (SYRK), half the work of a product.
        self.gram += Phi.T @ Phi
        self.moment += Phi.T @ Y


def least_ridge(trace: float, dtype: DTypeLike) -> float:
    """ρ below which the rounding errors of a Gram matrix in that precision drown it."""
    return max(2 * float(np.finfo(dtype).eps) * float(trace), float(np.finfo(dtype).tiny))


def safe_ridge(gram: np.ndarray, ridge: float) -> float:
    """ρ, raised to the rounding errors of G where it would drown in them (α below about 1e-13)."""
    trace = float(np.trace(gram))
    if not np.isfinite(trace):
        raise ValueError("the kernel has values that are not finite: scale X, or choose another kernel.")
    return max(float(ridge), least_ridge(trace, gram.dtype))


def cholesky_factor(gram: np.ndarray, ridge: float) -> np.ndarray:
    """Lower L, F-ordered, with L Lᵀ = G + ρI."""
    A = np.array(gram, order="F")
    A.reshape(-1, order="F")[:: len(A) + 1] += safe_ridge(gram, ridge)
    (potrf,) = get_lapack_funcs(("potrf",), (A,))
    L, info = potrf(A, lower=1, overwrite_a=1, clean=1)
    if info:
        raise LinAlgError(f"H + αI is not positive definite at column {info}: raise alpha.")
    return L


def solve_factored(L: np.ndarray, M: np.ndarray) -> np.ndarray:
    """(L Lᵀ)⁻¹ M."""
    (potrs,) = get_lapack_funcs(("potrs",), (L,))
    return potrs(L, M, lower=1)[0]


class ForwardSolver:
    """B ↦ L⁻¹B (b, r), F-ordered, for one block of columns after another.

    A product with the inverse takes half the time of a solve: L is inverted, in place, once that pays.

    Parameters
    ----------
    L : array of shape (b, b)
        Lower triangular, F-ordered.
    """

    def __init__(self, L: np.ndarray):
        self._L, self._columns, self._inverted = L, 0, False

    def __call__(self, B: np.ndarray) -> np.ndarray:
        """Solve for the columns of B (b, r)."""
        trsm, trmm = get_blas_funcs(("trsm", "trmm"), (self._L,))
        self._columns += B.shape[1]
        if 2 * self._columns < 3 * len(self._L):
            return trsm(1.0, self._L, B, lower=1)
        if not self._inverted:
            (trtri,) = get_lapack_funcs(("trtri",), (self._L,))
            self._L, self._inverted = trtri(self._L, lower=1, overwrite_c=1)[0], True
        return trmm(1.0, self._L, B, lower=1)


def cholesky_path(equations: NormalEquations, ridges: Sequence[float]) -> np.ndarray:
    """A for every ρ (r, b, k), one factorisation each: b³/3 operations per ρ."""
    gram, moment = equations.gram, equations.moment
    return np.stack([solve_factored(cholesky_factor(gram, ridge), moment) for ridge in ridges])


def eigh_path(equations: NormalEquations, ridges: Sequence[float]) -> np.ndarray:
    """A for every ρ (r, b, k) from one spectral decomposition, about as dear as 30 factorisations."""
    safe = [safe_ridge(equations.gram, ridge) for ridge in ridges]
    spectrum = Spectrum.of(equations)
    # (G + ρI)⁻¹ M = U diag(1/(γ + ρ)) Uᵀ M
    return np.stack([spectrum.vectors @ (spectrum.moment / (spectrum.values + r)[:, None]) for r in safe])


@dataclass(frozen=True)
class Spectrum:
    """G = U diag(γ) Uᵀ, and Uᵀ M."""

    values: np.ndarray
    vectors: np.ndarray
    moment: np.ndarray

    @classmethod
    def of(cls, equations: NormalEquations) -> "Spectrum":
        """Decompose; eigenvalues of a Gram matrix below zero are rounding."""
        values, vectors = eigh(equations.gram, check_finite=False)
        return cls(np.maximum(values, 0), vectors, vectors.T @ equations.moment)


PATHS = {"cholesky": cholesky_path, "eigh": eigh_path}
