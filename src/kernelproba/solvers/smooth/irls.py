"""Iteratively re-weighted least squares in the kernel coefficients, by conjugate gradients (roth2001).

Eq. 9 of the paper, (K + W⁻¹) α⁺ = q, multiplied by the weights and written for the change of α, is

    (I + DK) Δα = −(α + ω∂ℓ),      D = ω∂²ℓ, row by row,

for binary labels as in the paper and for softmax alike.  I + DK is self-adjoint in the inner product of
the function space, ⟨u, v⟩ = tr uᵀKv, and conjugate gradients run in it: an iteration costs one product
with K, nothing is factorised, a singular K does no harm, and rows of vanishing weight drop out by themselves.

Free intercepts are minimised over at every α, by Newton steps that cost O(nk): what is left is a problem in
α alone, whose curvature D − D1(1ᵀD1)⁻¹1ᵀD is that of the rows less what the intercepts absorb.

Scores and coefficients (n, k) are kept column by column: sums over the scores of a row are then sums of long
vectors.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import lapack

from kernelproba.losses import LossTerms
from kernelproba.number_range import LARGEST
from kernelproba.objective import KernelMatrix, KernelObjective
from kernelproba.solvers.line_search import Armijo
from kernelproba.solvers.smooth.recycled_directions import Deflation, RecycledDirections
from kernelproba.solvers.solution import Solution

INNER_ITERATIONS = 500
#: Products with K after which no further step is taken: a well-posed problem needs some hundred.
MOST_PRODUCTS = 10_000
INTERCEPT_ITERATIONS = 50
#: Share of the loss that a Newton step of the intercepts promises to gain for it to be the last: the next one
#: would gain about the square.
LAST_DECREMENT = 1e-4
#: Length of steps of which two in turn are the end: it is rounding that stops them, and they go on for long.
LEAST_LENGTH = 2.0**-12
#: Largest residual that rounding may excuse.
MAX_EXCUSED = 1e-2
#: Terms up to which BLAS sums on one thread.
ONE_THREAD = 8192


def inner(A: np.ndarray, B: np.ndarray) -> float:
    """Sum of the products of the entries, by one thread: waking others costs more than a sum of n k terms."""
    if A.size > ONE_THREAD:
        return float(np.einsum("ij,ij->", A, B))
    return float(np.vdot(A.T, B.T) if A.flags.f_contiguous else np.vdot(A, B))


@dataclass
class Coefficients:
    """Kernel coefficients α (n, k) of a function, and its values Kα at the rows."""

    A: np.ndarray
    KA: np.ndarray

    def dot(self, other: "Coefficients") -> float:
        """⟨self, other⟩ in the function space."""
        return inner(self.KA, other.A)

    def plus(self, t: float, other: "Coefficients") -> Self:
        """Sum of self and t times the other."""
        return type(self)(self.A + t * other.A, self.KA + t * other.KA)

    def less(self, deflation: Deflation | None) -> "Coefficients":
        """What is conjugate to the directions of a deflation."""
        return self if deflation is None else Coefficients(*deflation.project(self.A, self.KA))

    @property
    def norm(self) -> float:
        return float(np.sqrt(max(self.dot(self), 0.0)))


@dataclass(frozen=True)
class KernelSolution(Solution):
    """Minimiser [α; b] of an objective in kernel coefficients, and the values Kα (n, k) there."""

    values: np.ndarray


def irls(
    objective: KernelObjective,
    start: np.ndarray | KernelSolution,
    *,
    tol: float,
    max_iter: int,
    recycled: RecycledDirections | None = None,
) -> KernelSolution:
    """Minimise J over kernel coefficients and intercepts; stop once the relative residual is ≤ tol.

    The residual is √k̄ ‖∇J‖ / (1 + √k̄ ‖f‖) with the norms of the function space, which are those of whitened
    features: see `solvers.solution`.

    Parameters
    ----------
    objective : KernelObjective
        The problem.
    start : array of shape (n + 1, k), or (n, k) without an intercept, or KernelSolution
        Kernel coefficients and, last, the intercepts; or a solution for other weights of the same rows.
    tol, max_iter : float, int
        Bound on the residual, and on the number of re-weightings.
    recycled : RecycledDirections, optional
        Directions of earlier runs on the same matrix; those of this run are added.
    """
    recycled = RecycledDirections.of(objective) if recycled is None else recycled
    scale, n_iter, n_products, first = float(np.sqrt(objective.K.mean_diagonal)), 0, 0, 0.0
    (f, b, terms), t = _start(objective, start), 1.0
    while True:
        # α + ω∂ℓ
        A, value = f.A + terms.gradient, terms.value + 0.5 * f.dot(f)
        gradient = Coefficients(A, objective.K.product(A))
        length, unknown = gradient.norm, unknown_norm(gradient, objective.K)
        residual = scale * max(length, unknown) / (1 + scale * f.norm)
        # Below what is known of its length a gradient leads nowhere.
        if not (residual > tol and length > unknown) or n_iter >= max_iter or n_products >= MOST_PRODUCTS:
            break
        system, first = Curvature(objective, terms.curvature), first or length
        # As in newton_cg, the relative error √(‖g‖/‖g₀‖) converges superlinearly; and no step needs to be
        # more exact than the goal, of which single precision may not have digits to spare.
        rtol = min(0.25, max(0.3 * tol / residual, np.sqrt(length / first)))
        step, spent = newton_direction(system, gradient, rtol, recycled)
        n_products += spent
        shift = system.intercept_change(step.KA)
        found = length_along(objective, (f, b), (step, shift), value, gradient)
        if found is None or max(t, found[0]) < LEAST_LENGTH:
            break
        t, terms = found
        f = f.plus(t, step)
        b, terms = best_intercept(objective, f.KA, b + t * shift, terms)
        n_iter += 1
    coef = np.vstack([f.A, b]) if objective.fit_intercept else f.A
    converged = is_settled(objective, gradient.A - f.A, tol) and np.isfinite(value)
    converged &= residual <= tol or residual <= rounding(objective, f, b)
    return KernelSolution(coef, value, residual, n_iter, bool(converged), f.KA)


def is_settled(objective: KernelObjective, G: np.ndarray, tol: float) -> bool:
    """Whether ω∂ℓ (n, k) sums to nothing over the rows, as it does at the best intercepts.

    The residual is that of the function alone, and vanishes beside intercepts that are far off, too.
    """
    slope = np.abs(G.sum(axis=0)).max() if objective.fit_intercept else 0.0
    return bool(slope <= tol * objective.weights.sum())


def _start(
    objective: KernelObjective, start: np.ndarray | KernelSolution
) -> tuple[Coefficients, np.ndarray, LossTerms]:
    """Function, its best intercepts and the loss there, to set out from: nothing where that is better."""
    f, b = _function(objective, start)
    b, terms = best_intercept(objective, f.KA, b)
    # At J = Σω log c all classes are alike, and no start has to be worse.
    if f.A.any() and not terms.value + 0.5 * f.dot(f) <= objective.weights.sum() * np.log(max(len(b), 2)):
        f = Coefficients(np.zeros_like(f.A), np.zeros_like(f.KA))
        b, terms = best_intercept(objective, f.KA, np.zeros_like(b))
    return f, b, terms


def _function(
    objective: KernelObjective, start: np.ndarray | KernelSolution
) -> tuple[Coefficients, np.ndarray]:
    """Function and intercepts that a solver is given."""
    n, theta = len(objective.y), start.coef if isinstance(start, KernelSolution) else start
    A, b = np.asfortranarray(theta[:n]), theta[n] if objective.fit_intercept else np.zeros(objective.n_scores)
    if isinstance(start, KernelSolution):
        return Coefficients(A, np.asfortranarray(start.values)), b
    return Coefficients(A, objective.K.product(A) if A.any() else np.zeros_like(A)), b


class Curvature:
    """D = ω∂²ℓ at scores whose curvature is known, with the intercepts' share taken out."""

    def __init__(self, objective: KernelObjective, state: np.ndarray):
        self.objective, self.state = objective, state
        self._weights = objective.weights.astype(state.dtype, copy=False)
        total = objective.loss.curvature_sum(self.state, objective.weights)
        if (k := len(total)) == 1:
            self.inverse_total = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        else:
            # Shifts of all scores of a softmax have no curvature, and no slope either: any curvature will do.
            self.inverse_total = _inverse(total + total.trace() / k**2)

    def intercept_change(self, dF: np.ndarray) -> np.ndarray:
        """The change of b that follows a change dF of the scores, −(1ᵀD1)⁻¹ 1ᵀD dF."""
        if not self.objective.fit_intercept:
            return np.zeros(self.objective.n_scores)
        return -self.inverse_total @ (self._weights @ self._of_rows(dF)).astype(np.float64, copy=False)

    def product(self, dF: np.ndarray) -> np.ndarray:
        """Change of ω∂ℓ that follows a change dF of the scores and the answer of the intercepts."""
        change = self._of_rows(dF + self.intercept_change(dF).astype(dF.dtype, copy=False))
        change *= self._weights[:, None]
        return change

    def _of_rows(self, dF: np.ndarray) -> np.ndarray:
        """∂²ℓ dF, row by row."""
        return self.objective.loss.curvature_product(self.state, dF)


def best_intercept(
    objective: KernelObjective, KA: np.ndarray, b: np.ndarray, terms: LossTerms | None = None
) -> tuple[np.ndarray, LossTerms]:
    """Minimise Σωℓ(y, Kα + b) over b by Newton's method, if there are intercepts; the loss there comes along.

    Its terms at the start are computed unless they are given.
    """
    terms = objective.terms(KA + b) if terms is None else terms
    for _ in range(INTERCEPT_ITERATIONS if objective.fit_intercept else 0):
        slope = terms.gradient.sum(axis=0)
        if np.abs(slope).max() <= 1e-12 * objective.weights.sum():
            break
        step = -Curvature(objective, terms.curvature).inverse_total @ slope
        with np.errstate(over="ignore", invalid="ignore"):  # weights far apart
            decrement = float(-slope @ step)
        if not (0 < decrement < np.inf and np.abs(step).max() <= LARGEST):
            # Of scores that are certain of everything rounding has left no curvature, or a negative one.
            step = -slope / objective.weights.sum()
        elif decrement <= LAST_DECREMENT * abs(terms.value):
            return b + step, objective.terms(KA + (b + step))
        armijo = Armijo(terms.value, float(slope @ step))
        for t in armijo.lengths():
            terms = objective.terms(KA + (b + t * step))
            if armijo.accepts(t, terms.value, float(terms.gradient.sum(axis=0) @ step)):
                b = b + t * step
                break
        else:
            return b, objective.terms(KA + b)
    return b, terms


def _inverse(A: np.ndarray) -> np.ndarray:
    """Inverse of a small positive matrix, or its pseudo-inverse where it is singular up to rounding."""
    root, info = lapack.dpotrf(A, lower=1)
    pivots = root.diagonal()
    if info == 0 and pivots.min() > 1e-5 * pivots.max():
        return lapack.dpotrs(root, np.eye(len(A)), lower=1)[0]
    return np.linalg.pinv(A, hermitian=True)


def newton_direction(
    system: Curvature, gradient: Coefficients, rtol: float, recycled: RecycledDirections
) -> tuple[Coefficients, int]:
    """Solve (I + D̃K) Δ = −∇J to the relative error rtol in the function space; count the products with K.

    K is applied to the residuals alone: K p of the search directions follows from the recursion p ← r + βp,
    and K Δ from Δ ← Δ + τp.  Directions of earlier systems are left out of the search, their share having
    been taken at the start.
    """
    step = Coefficients(np.zeros_like(gradient.A), np.zeros_like(gradient.A))
    residual = Coefficients(-gradient.A, -gradient.KA)
    rho = residual.dot(residual)
    goal, n_products = rtol**2 * rho, 0
    deflation = recycled.deflation(system.product)
    if deflation is not None:
        A, KA, image = deflation.start(residual.A)
        step = Coefficients(A.astype(np.float64), KA.astype(np.float64))
        A = residual.A - image
        residual, n_products = Coefficients(A, system.objective.K.product(A)), 1
        rho = residual.dot(residual)
    direction, followed = residual.less(deflation), []
    while rho > goal and n_products < INNER_ITERATIONS:
        n_products += 1
        image = direction.A + system.product(direction.KA)
        curvature = inner(direction.KA, image)
        if not curvature > 0:
            break
        followed.append((direction.A, direction.KA, curvature))
        tau = rho / curvature
        step = step.plus(tau, direction)
        A = residual.A - tau * image
        residual = Coefficients(A, system.objective.K.product(A))
        rho, previous = residual.dot(residual), rho
        direction = residual.less(deflation).plus(rho / previous, direction)
    recycled.extend(followed)
    return step, n_products


def length_along(
    objective: KernelObjective, at: tuple, step: tuple, value: float, gradient: Coefficients
) -> tuple[float, LossTerms] | None:
    """Length along the step and the loss there, at O(nk) a trial: scores and norms are known all along."""
    (f, b), (df, db) = at, step
    F, dF = f.KA + b, df.KA + db
    fixed, linear, quadratic = 0.5 * f.dot(f), f.dot(df), df.dot(df)
    armijo = Armijo(value, gradient.dot(df))
    for t in armijo.lengths():
        terms = objective.terms(F + t * dF)
        reached = terms.value + fixed + t * linear + t**2 / 2 * quadratic
        if armijo.accepts(t, reached, inner(terms.gradient, dF) + linear + t * quadratic):
            return t, terms
    return None


def unknown_norm(gradient: Coefficients, K: KernelMatrix) -> float:
    """What rounding leaves unknown of ‖g‖, where a nearly singular K makes a short function of a long g."""
    # gᵀKg is a sum of terms that are known to ε k̄ g²; where they cancel it may even come out negative.
    return float(np.sqrt(np.finfo(K.dtype).eps * K.mean_diagonal * inner(gradient.A, gradient.A)))


def rounding(objective: KernelObjective, f: Coefficients, b: np.ndarray) -> float:
    """The residual that rounding alone leaves: errors of Kα, through the curvature, in the gradient.

    It excuses a residual above a tight tol, but none that would be large at any.
    """
    scale = float(np.sqrt(objective.K.mean_diagonal))
    error = np.finfo(objective.K.dtype).eps * scale**2 * np.abs(f.A).sum() / np.sqrt(len(f.A))
    weight = objective.loss.curvature_weight(objective.loss.curvature(f.KA + b))
    return min(float(scale**2 * (objective.weights @ weight) * error / (1 + scale * f.norm)), MAX_EXCUSED)
