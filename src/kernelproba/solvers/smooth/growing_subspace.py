"""Softmax fits by few products with K: Newton's method in a subspace that grows by k functions at a time.

A gradient α + ω∂ℓ (n, k) has one column for each score, and one product with K makes k functions of them.
Conjugate gradients look along one combination of them at a time.  Here every function is offered to every
score: with v₁ … v_m that are orthonormal in the function space, J is minimised over f = Σ vⱼ wⱼ, wⱼ ∈ ℝᵏ,

    min_W  Σ ωℓ(y, (KV)ᵀW + b) + ½‖W‖²,

by Newton's method and conjugate gradients, whose products are with KV (m, n) and cost 4nmk operations where
one with K costs 2n²k.  At the minimum the gradient is orthogonal to the subspace, and its columns are the
next functions.

Scores and gradients (n, k) are kept column by column: sums over the scores of a row are then sums of long
vectors.

Several fits to the same rows with other weights, such as those without a fold, go in step: a product with K
of the gradients of all of them reads K once (`growing_subspaces`).
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import eigh

from kernelproba.kernels.thin_product import thin_product
from kernelproba.losses import LossTerms
from kernelproba.objective import FactoredMatrix, KernelMatrix, KernelObjective
from kernelproba.solvers.smooth.irls import (
    Coefficients,
    Curvature,
    KernelSolution,
    best_intercept,
    inner,
    is_settled,
    length_along,
    rounding,
    unknown_norm,
)

#: Rows from which on a product with K costs more than the work in the subspace that replaces several.
FEWEST_ROWS = 1000
#: Functions kept: so many per row, or this many if that is more.
FUNCTIONS_PER_ROW, FEW_FUNCTIONS = 1 / 8, 512
#: Gradients for which there must be room.
FEWEST_GRADIENTS = 8
#: Newton steps in one subspace, their relative error, and the share of the whole gradient that may be left.
MOST_STEPS, STEP_ERROR, SHARE_LEFT = 2, 0.5, 0.3
#: Products with the functions for one Newton step.
MOST_PRODUCTS = 100

#: A fit in progress: yields coefficients A (n, k), is sent KA, and returns its solution.
Fitting = Generator[np.ndarray, np.ndarray, KernelSolution]


@dataclass
class SubspaceFunction(Coefficients):
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
        return (W.T.astype(self.dtype) @ self._V[: len(W)]).T

    def values(self, W: np.ndarray) -> np.ndarray:
        """Their values (n, k)."""
        return (W.T.astype(self.dtype) @ self._KV[: len(W)]).T

    def products(self, G: np.ndarray) -> np.ndarray:
        """Inner products (m, k) with functions of kernel coefficients G (n, k)."""
        return thin_product(self._KV[: self.size], G.astype(self.dtype, copy=False))

    def extend(self, f: Coefficients) -> bool:
        """Add the functions that are the columns of f; False if there is no room, or nothing new."""
        A, KA = f.A.T.astype(self.dtype), f.KA.T.astype(self.dtype)
        c = self.products(A.T)
        X, KX = A - self.coefficients(c).T, KA - self.values(c).T
        E = (KX @ X.T).astype(np.float64)
        squares, eps = E.diagonal(), np.finfo(self.dtype).eps
        scale = np.sqrt(np.divide(1.0, squares, out=np.zeros(len(E)), where=squares > eps * squares.max()))
        values, vectors = eigh(scale[:, None] * (E + E.T) / 2 * scale)
        # Columns of a softmax sum to zero: one depends on the others, and rounding hides which.
        kept = values > max(np.sqrt(eps) * values[-1], 0.0)
        T = (scale[:, None] * vectors[:, kept] / np.sqrt(values[kept])).T.astype(self.dtype)
        end = self.size + len(T)
        if end > self.most or end == self.size:
            return False
        self._V[self.size : end], self._KV[self.size : end] = T @ X, T @ KX
        self.size = end
        return True


def room(objective: KernelObjective) -> int:
    """Functions to keep room for, a quarter of the memory of K or little; none where they would not pay."""
    n, k = len(objective.y), objective.n_scores
    most = max(int(FUNCTIONS_PER_ROW * n), FEW_FUNCTIONS)
    whole = not isinstance(objective.K, FactoredMatrix)
    return most if whole and n > FEWEST_ROWS and 1 < k <= most / FEWEST_GRADIENTS else 0


def growing_subspace(
    objective: KernelObjective, start: np.ndarray, *, tol: float, max_iter: int
) -> KernelSolution:
    """Minimise J over kernel coefficients and intercepts as `irls` does, by fewer products with K.

    Where there is no room for more functions, or rounding hides the gradient, the point reached is returned
    as not converged: `irls` can go on from it.

    Parameters
    ----------
    objective : KernelObjective
        The problem.
    start : array of shape (n + 1, k), or (n, k) without an intercept
        Kernel coefficients and, last, the intercepts.
    tol, max_iter : float, int
        Bound on the residual of `irls`, and on the number of subspaces.
    """
    return growing_subspaces([objective], [start], tol=tol, max_iter=max_iter)[0]


def growing_subspaces(
    objectives: Sequence[KernelObjective], starts: Sequence[np.ndarray], *, tol: float, max_iter: int
) -> list[KernelSolution]:
    """Minimise several objectives that share one kernel matrix, with the products of all of them at once.

    Parameters
    ----------
    objectives, starts : sequences of one length
        As of `growing_subspace`, which finds the same.
    tol, max_iter
        As there.
    """
    fits = dict(enumerate(map(partial(_fitting, tol=tol, max_iter=max_iter), objectives, starts)))
    wanted, found = {i: next(fit) for i, fit in fits.items()}, {}
    while wanted:
        for i, KA in _products(objectives[0].K, wanted).items():
            try:
                wanted[i] = fits[i].send(KA)
            except StopIteration as end:
                found[i] = end.value
                del wanted[i]
    return [found[i] for i in fits]


def _products(K: KernelMatrix, wanted: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
    """K A for every A (n, k), by one product."""
    ends = np.cumsum([A.shape[1] for A in wanted.values()])
    KA = K.product(np.hstack(list(wanted.values())) if len(wanted) > 1 else next(iter(wanted.values())))
    return dict(zip(wanted, np.split(KA, ends[:-1], axis=1), strict=True))


def _fitting(objective: KernelObjective, start: np.ndarray, *, tol: float, max_iter: int) -> Fitting:
    """One of the fits."""
    n, k, K = len(objective.y), objective.n_scores, objective.K
    subspace, scale, n_iter = Subspace(n, room(objective), K.dtype), float(np.sqrt(K.mean_diagonal)), 0
    f = yield from _projected(subspace, start[:n])
    at = _evaluate(objective, f, start[n] if objective.fit_intercept else np.zeros(k))
    # Rounding errors of many products add up in the values: the end is judged by values computed anew, once
    # residuals that fall as they did last time would be there.
    anew, last = False, 0.0
    while True:
        A = subspace.coefficients(at.f.A).astype(np.float64)
        if anew:
            at = _evaluate(objective, SubspaceFunction(at.f.A, (yield A)), at.b)
        G = A + at.terms.gradient
        gradient = Coefficients(G, (yield G))
        norm, length, unknown = at.f.norm, gradient.norm, unknown_norm(gradient, K)
        residual = scale * max(length, unknown) / (1 + scale * norm)
        ends = not (residual > tol and length > unknown) or n_iter >= max_iter
        moved = None
        if not ends and subspace.extend(gradient):
            goal = max(SHARE_LEFT * length, 0.15 * tol * (1 / scale + norm))
            moved = _minimise_within(subspace, objective, at, gradient, goal)
        if moved is None and anew:
            break
        anew, last = moved is None or residual**2 <= tol * last, residual
        at, n_iter = (at, n_iter) if moved is None else (moved, n_iter + 1)
    reached = Coefficients(A, at.f.KA)
    value = at.terms.value + 0.5 * reached.dot(reached)
    converged = is_settled(objective, at.terms.gradient, tol) and np.isfinite(value)
    converged &= residual <= tol or residual <= rounding(objective, reached, at.b)
    coef = np.vstack([A, at.b]) if objective.fit_intercept else A
    return KernelSolution(coef, value, residual, n_iter, bool(converged), reached.KA)


@dataclass
class _Point:
    """A function, the best intercepts for it, and the loss there."""

    f: SubspaceFunction
    b: np.ndarray
    terms: LossTerms


def _evaluate(objective: KernelObjective, f: SubspaceFunction, b: np.ndarray) -> _Point:
    """The point with the best intercepts, sought from b."""
    return _Point(f, *best_intercept(objective, f.KA, b))


def _projected(subspace: Subspace, A: np.ndarray) -> Generator[np.ndarray, np.ndarray, SubspaceFunction]:
    """Coordinates of a start, of which the subspace is made."""
    if not A.any():
        return SubspaceFunction(np.zeros((0, A.shape[1])), np.zeros_like(A, order="F"))
    A = np.asfortranarray(A)
    subspace.extend(Coefficients(A, (yield A)))
    W = subspace.products(A).astype(np.float64)
    return SubspaceFunction(W, subspace.values(W).astype(np.float64))


def _minimise_within(
    subspace: Subspace, objective: KernelObjective, start: _Point, gradient: Coefficients, goal: float
) -> _Point | None:
    """Newton steps in the subspace until the gradient there is short enough; None if none descends."""
    W = np.zeros((subspace.size, objective.n_scores))
    W[: len(start.f.A)] = start.f.A
    at, moved = _Point(SubspaceFunction(W, start.f.KA), start.b, start.terms), None
    slope = SubspaceFunction(subspace.products(gradient.A), gradient.KA)
    for _ in range(MOST_STEPS):
        system = Curvature(objective, at.terms.curvature.astype(subspace.dtype, copy=False))
        step = _newton_step(subspace, system, slope.A)
        shift = system.intercept_change(step.KA)
        value = at.terms.value + 0.5 * at.f.dot(at.f)
        found = length_along(objective, (at.f, at.b), (step, shift), value, slope)
        if found is None:
            break
        t, terms = found
        f = at.f.plus(t, step)
        at = moved = _Point(f, *best_intercept(objective, f.KA, at.b + t * shift, terms))
        slope = SubspaceFunction(f.A + subspace.products(at.terms.gradient), f.KA)
        if slope.norm <= goal:
            break
    return moved


def _newton_step(subspace: Subspace, system: Curvature, gradient: np.ndarray) -> SubspaceFunction:
    """Solve (I + KV D̃ (KV)ᵀ) Δ = −∇J in the subspace, roughly."""
    step = np.zeros_like(gradient)
    residual = direction = -gradient
    rho = inner(residual, residual)
    goal = STEP_ERROR**2 * rho
    for _ in range(MOST_PRODUCTS):
        image = direction + subspace.products(system.product(subspace.values(direction)))
        curvature = inner(direction, image)
        if not curvature > 0:
            break
        tau = rho / curvature
        step = step + tau * direction
        residual = residual - tau * image
        rho, previous = inner(residual, residual), rho
        if rho <= goal:
            break
        direction = residual + rho / previous * direction
    return SubspaceFunction(step, subspace.values(step).astype(np.float64))
