"""Centres that move: positions and coefficients of Gaussian kernels, found together.

With rows and centres in widths of the kernel, K = exp(−½‖x − z‖²), the scores F = K A + b + (what does not
move) and V the divergence of the probabilities from those of the model before::

    min over z, A, b  of  V(F) + ½ρ‖A‖²         G = ∂V/∂F,   E = (G Aᵀ) ∘ K
    ∂V/∂A = KᵀG,   ∂V/∂zⱼ = Σᵢ Eᵢⱼ (xᵢ − zⱼ)

The problem is not convex; it is started from centres that are rows, and their best coefficients, and ends no
worse.  Centres that have moved are no longer training rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from kernelproba.kernels import RBF, Kernel
from kernelproba.typing import Matrix

#: Most iterations, and rows on which the divergence is computed.
MAX_ITER, MAX_ROWS = 400, 20_000
#: Corrections that the quasi-Newton method remembers.
MEMORY = 20
#: ρ: keeps coefficients of centres that meet from growing against each other.
RIDGE = 1e-9

#: Extent of the rows, in widths, beyond which single precision does not tell neighbours apart.
FARTHEST = 3000.0

#: Scores F (n, k) → V and ∂V/∂F (n, k).
Divergence = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(frozen=True)
class GaussianSum:
    """Scores Σⱼ aⱼ exp(−½‖x − zⱼ‖²) + b.

    Attributes
    ----------
    centers : array of shape (m, d)
        z.
    coef : array of shape (m, k)
        A.
    intercept : array of shape (k,)
        b.
    """

    centers: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray

    def kernel(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return K (n, m), `out` if given, of rows X (n, d), in the precision of X."""
        Z = self.centers.astype(X.dtype, copy=False)
        K = np.matmul(X, Z.T, out=out)
        K -= 0.5 * np.einsum("ij,ij->i", X, X)[:, None]
        K -= 0.5 * np.einsum("ij,ij->i", Z, Z)
        return np.exp(K, out=K)


def can_move(kernel: Kernel, rows: Matrix) -> bool:
    """Whether centres of a kernel can be moved: that of a Gaussian, among dense rows not too far apart."""
    if type(kernel) is not RBF or not isinstance(rows, np.ndarray):
        return False
    with np.errstate(over="ignore"):
        return bool(np.linalg.norm(np.ptp(rows / kernel.length_scale, axis=0)) < FARTHEST)


def moved_centers(
    X: np.ndarray,
    start: GaussianSum,
    divergence: Divergence,
    *,
    free: np.ndarray | None = None,
    fit_intercept: bool = True,
) -> GaussianSum:
    """Minimise the expression at the head of this module by L-BFGS.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows in widths of the kernel.
    start : GaussianSum
        Where to begin.
    divergence : callable
        V and its slopes, of scores of the rows.
    free : array of bool of shape (m, k), optional
        Which coefficients there are; all by default.
    fit_intercept : bool, default=True
        Whether b changes.
    """
    m, d = start.centers.shape
    k = start.coef.shape[1]
    kept = np.ones((m, k)) if free is None else free.astype(np.float64)

    def sum_at(theta: np.ndarray) -> GaussianSum:
        Z, A, b = np.split(theta, [m * d, m * (d + k)])
        return GaussianSum(Z.reshape(m, d), A.reshape(m, k), b)

    # Single precision takes a third of the time, and leads where double does once rows are centred.
    centre = np.median(X, axis=0)
    rows = (X - centre).astype(np.float32)
    # Written to again and again: new memory for each step would cost more than the steps.
    K, E = (np.empty((len(X), m), dtype=np.float32) for _ in range(2))

    def value_and_gradient(theta: np.ndarray) -> tuple[float, np.ndarray]:
        own = sum_at(theta)
        A = own.coef.astype(np.float32)
        own.kernel(rows, out=K)
        value, slopes = divergence(K @ A + own.intercept)
        G = slopes.astype(np.float32)
        np.matmul(G, A.T, out=E)
        np.multiply(E, K, out=E)
        slope_Z = E.T @ rows - E.sum(axis=0)[:, None] * own.centers
        slope_A = (K.T @ G + RIDGE * own.coef) * kept
        parts = [slope_Z.ravel(), slope_A.ravel(), slopes.sum(axis=0) * fit_intercept]
        return value + 0.5 * RIDGE * float(np.square(own.coef).sum()), np.concatenate(parts)

    theta = np.concatenate([(start.centers - centre).ravel(), start.coef.ravel(), start.intercept])
    options = {"maxiter": MAX_ITER, "maxcor": MEMORY}
    found = sum_at(minimize(value_and_gradient, theta, jac=True, method="L-BFGS-B", options=options).x)
    return replace(found, centers=found.centers + centre)
