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
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from kernelproba.kernels import RBF, Kernel
from kernelproba.typing import Matrix

#: Most iterations, and rows on which the divergence is computed.
MAX_ITER, MAX_ROWS = 400, 12_000
#: Corrections that the quasi-Newton method remembers.
MEMORY = 20
#: ρ: keeps coefficients of centres that meet from growing against each other.
RIDGE = 1e-9

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

    def kernel(self, X: np.ndarray) -> np.ndarray:
        """Return K (n, m) of rows X (n, d)."""
        Z = self.centers
        D = np.square(X).sum(axis=1)[:, None] + np.square(Z).sum(axis=1) - 2 * X @ Z.T
        return np.exp(-0.5 * np.maximum(D, 0.0))


def can_move(kernel: Kernel, rows: Matrix) -> bool:
    """Whether centres of a kernel can be moved: that of a Gaussian, among dense rows."""
    return type(kernel) is RBF and isinstance(rows, np.ndarray)


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

    def value_and_gradient(theta: np.ndarray) -> tuple[float, np.ndarray]:
        own = sum_at(theta)
        K = own.kernel(X)
        value, G = divergence(K @ own.coef + own.intercept)
        E = (G @ own.coef.T) * K
        slope_Z = E.T @ X - E.sum(axis=0)[:, None] * own.centers
        slope_A = (K.T @ G + RIDGE * own.coef) * kept
        parts = [slope_Z.ravel(), slope_A.ravel(), G.sum(axis=0) * fit_intercept]
        return value + 0.5 * RIDGE * float(np.square(own.coef).sum()), np.concatenate(parts)

    theta = np.concatenate([start.centers.ravel(), start.coef.ravel(), start.intercept])
    options = {"maxiter": MAX_ITER, "maxcor": MEMORY}
    return sum_at(minimize(value_and_gradient, theta, jac=True, method="L-BFGS-B", options=options).x)
