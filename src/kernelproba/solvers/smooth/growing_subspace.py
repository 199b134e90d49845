"""Softmax fits by few products with K: Newton's method in a subspace that each gradient enlarges by k functions.

A gradient α + ω∂ℓ (n, k) has one column for each score, and one product with K makes k functions of them.
Conjugate gradients look along one combination of them at a time.  Here every function is offered to every score:
with functions v₁ … v_m that are orthonormal in the function space, J is minimised over f = Σ wⱼ vⱼ, wⱼ ∈ ℝᵏ,

    min_W  Σ ωℓ(y, (KV)ᵀW + b) + ½‖W‖²,

by Newton's method and conjugate gradients, whose products are with KV (m, n) and cost 4nmk operations where
one with K costs 2n²k.  The gradient there is orthogonal to the subspace, and its k columns are the next functions.

Scores and gradients (n, k) are kept column by column: sums over the scores of a row are then sums of long vectors.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from kernelproba.kernels.thin_product import thin_product
from kernelproba.objective import KernelObjective
from kernelproba.solvers.smooth.irls import (
    Coefficients,
    Curvature,
    KernelSolution,
    best_intercept,
    inner,
    length_along,
    rounding,
    unknown_norm,
)

#: Functions kept: so many per row, or this many if that is more.
FUNCTIONS_PER_ROW, FEW_FUNCTIONS = 1 / 8, 512
#: Gradients for which there must be room.
FEWEST_GRADIENTS = 8
#: Newton steps in one subspace, their relative error, and the share of the whole gradient at which to leave it.
MOST_STEPS, STEP_ERROR, SHARE_LEFT = 2, 0.5, 0.3
#: Products with the functions for one Newton step.
MOST_PRODUCTS = 100


@dataclass
class Coordinates(Coefficients):
    """A function by its coordinates A (m, k) in an orthonormal basis, and its values KA at the rows."""

    def dot(self, other: Coefficients) -> float:
        return inner(self.A, other.A)


class Subspace:
    """Orthonormal functions: kernel coefficients V (m, n) and values KV (m, n), with room for `most`."""

    def __init__(self, n: int, most: int, dtype: np.dtype):
        self._V, self._KV = np.empty((2, most, n), dtype=dtype)
        self.size, self.most, self.dtype = 0, most, dtype

    def coefficients(self, W: np.ndarray) -> np.ndarray:
        """Kernel coefficients (n, k) of the functions with coordinates W (m, k)."""
        return (W.T.astype(self.dtype) @ self._V[: self.size]).T

    def values(self, W: np.ndarray) -> np.ndarray:
        """Their values (n, k)."""
        return (W.T.astype(self.dtype) @ self._KV[: self.size]).T

    def products(self, G: np.ndarray) -> np.ndarray:
        """Inner products (m, k) with functions of kernel coefficients G (n, k)."""
        return thin_product(self._KV[: self.size], G.astype(self.dtype, copy=False))

    def extend(self, A: np.ndarray, KA: np.ndarray) -> bool:
        """Add functions by kernel coefficients A (n, k) and values KA; False if there is no room, or nothing new."""
        c = self.products(A)
        X, KX = (A - self.coefficients(c)).T, (KA - self.values(c)).T
        E = (KX @ X.T).astype(np.float64)
        squares, eps = E.diagonal(), np.finfo(self.dtype).eps
        scale = np.sqrt(np.divide(1.0, squares, out=np.zeros(len(E)), where=squares > eps * squares.max()))
        values, vectors = eigh(scale[:, None] * (E + E.T) / 2 * scale)
        # Columns of a softmax sum to zero: one depends on the others, and rounding hides which.
        kept = values > max(np.sqrt(eps) * values[-1], 0.0)
        T = (scale[:, None] * vectors[:, kept] / np.sqrt(values[kept])).T
        end = self.size + len(T)
        if end > self.most or end == self.size:
            return False
        self._V[self.size : end], self._KV[self.size : end] = T @ X, T @ KX
        self.size = end
        return True


def room(n: int, k: int) -> int:
    """Functions for which to keep room in a problem of n rows and k scores; none where they would not pay."""
    most = min(n, max(int(FUNCTIONS_PER_ROW * n), FEW_FUNCTIONS))
    return most if k > 1 and most >= FEWEST_GRADIENTS * k else 0


def growing_subspace(
    objective: KernelObjective, start: np.ndarray, *, tol: float, max_iter: int
) -> KernelSolution:
    """Minimise J over kernel coefficients and intercepts as `irls` does, by fewer products with K.

    Where there is no room for more functions, or rounding hides the gradient, the solution so far is
    returned: `irls` can go on from it.

    Parameters
    ----------
    objective : KernelObjective
        The problem.
    start : array of shape (n + 1, k), or (n, k) without an intercept
        Kernel coefficients and, last, the intercepts.
    tol, max_iter : float, int
        Bound on the residual of `irls`, and on the number of subspaces.
    """
    n, k, K = len(objective.y), objective.n_scores, objective.K
    subspace = Subspace(n, room(n, k), K.dtype)
    b = start[n] if objective.fit_intercept else np.zeros(k)
    f = _projected(subspace, objective, start[:n])
    scale, n_iter = float(np.sqrt(K.mean_diagonal)), 0
    b = best_intercept(objective, f.KA, b)
    while True:
        loss, G = objective.loss.value_and_gradient(f.KA + b, objective.y, objective.weights)
        A = subspace.coefficients(f.A).astype(np.float64)
        G += A
        gradient = Coefficients(G, np.asfortranarray(K.product(G)))
        norm, length, unknown = f.norm, gradient.norm, unknown_norm(gradient, K)
        residual = scale * max(length, unknown) / (1 + scale * norm)
        if not (residual > tol and length > unknown) or n_iter >= max_iter:
            break
        if not subspace.extend(gradient.A, gradient.KA):
            break
        f.A = np.vstack([f.A, np.zeros((subspace.size - len(f.A), k))])
        goal = max(SHARE_LEFT * length, 0.15 * tol * (1 / scale + norm))
        f, b = _minimise_within(subspace, objective, f, b, goal)
        n_iter += 1
    coef = np.vstack([A, b]) if objective.fit_intercept else A
    value = loss + 0.5 * inner(A, f.KA)
    f = Coefficients(A, f.KA)
    converged = np.isfinite(value) and (residual <= tol or residual <= rounding(objective, f, b))
    return KernelSolution(coef, value, residual, n_iter, bool(converged), f.KA)


def _projected(subspace: Subspace, objective: KernelObjective, A: np.ndarray) -> Coordinates:
    """Coordinates of a start, of which the subspace is made."""
    if not A.any():
        return Coordinates(np.zeros((0, A.shape[1])), np.zeros_like(A, order="F"))
    subspace.extend(np.asfortranarray(A), np.asfortranarray(objective.K.product(A)))
    W = subspace.products(np.asfortranarray(A)).astype(np.float64)
    return Coordinates(W, subspace.values(W).astype(np.float64))


def _minimise_within(
    subspace: Subspace, objective: KernelObjective, f: Coordinates, b: np.ndarray, goal: float
) -> tuple[Coordinates, np.ndarray]:
    """Newton steps in the subspace until the gradient there is as short as the goal."""
    for _ in range(MOST_STEPS):
        loss, G = objective.loss.value_and_gradient(f.KA + b, objective.y, objective.weights)
        gradient = Coordinates(f.A + subspace.products(G), f.KA)
        if gradient.norm <= goal:
            break
        system = Curvature(objective, (f.KA + b).astype(subspace.dtype, copy=False))
        step = _newton_step(subspace, system, gradient.A)
        shift = system.intercept_change(step.KA)
        t = length_along(objective, (f, b), (step, shift), loss + 0.5 * f.dot(f), gradient)
        if t is None:
            break
        f = f.plus(t, step)
        b = best_intercept(objective, f.KA, b + t * shift)
    return f, b


def _newton_step(subspace: Subspace, system: Curvature, gradient: np.ndarray) -> Coordinates:
    """Solve (I + KV D̃ (KV)ᵀ) Δ = −∇J in the subspace, roughly."""
    step = Coordinates(np.zeros_like(gradient), np.zeros(system.state.shape, order="F"))
    residual = direction = -gradient
    rho = inner(residual, residual)
    goal = STEP_ERROR**2 * rho
    for _ in range(MOST_PRODUCTS):
        values = subspace.values(direction)
        image = direction + subspace.products(system.product(values))
        curvature = inner(direction, image)
        if not curvature > 0:
            break
        tau = rho / curvature
        step = step.plus(tau, Coordinates(direction, values))
        residual = residual - tau * image
        rho, previous = inner(residual, residual), rho
        if rho <= goal:
            break
        direction = residual + rho / previous * direction
    return step
