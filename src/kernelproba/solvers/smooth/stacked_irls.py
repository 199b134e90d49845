"""IRLS for many binary problems at once, each with its own kernel matrix: the pairs of many classes.

What `solvers.smooth.irls` does for one problem is done here for p of them in step, by operations on stacks
(p, n): a pair of 18 rows takes a few thousand multiplications, which cost far less than the calls that ask
for them.  Problems of fewer than n rows are padded by rows of weight and kernel value zero, which stay at
α = 0.
"""

from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.linalg import get_blas_funcs
from scipy.special import expit, log_expit

from kernelproba.solvers.line_search import SHORTEST, SUFFICIENT
from kernelproba.solvers.smooth.irls import (
    INNER_ITERATIONS,
    INTERCEPT_ITERATIONS,
    LAST_DECREMENT,
    MAX_EXCUSED,
)


def dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Inner products (p,) of the rows of two stacks (p, n)."""
    return np.einsum("pn,pn->p", A, B)


@dataclass
class BinaryStack:
    """p problems of n rows: matrices (p, n, n), labels ±1, weights ω (p, n); padding is zero in all three."""

    K: np.ndarray
    sign: np.ndarray
    weights: np.ndarray
    fit_intercept: bool

    def __post_init__(self) -> None:
        self._symv = get_blas_funcs("symv", (self.K,))
        diagonal = np.einsum("pii->p", self.K, dtype=np.float64)
        self.mean_diagonal = diagonal / np.maximum((self.sign != 0).sum(axis=1), 1)

    def take(self, index: np.ndarray) -> "BinaryStack":
        """Only these problems."""
        return BinaryStack(self.K[index], self.sign[index], self.weights[index], self.fit_intercept)

    def product(self, A: np.ndarray) -> np.ndarray:
        """K A of each problem, in double precision."""
        A = A.astype(self.K.dtype, copy=False)
        if len(A) == 1:  # bound by memory: one triangle is enough
            KA = self._symv(1.0, self.K[0].T, A[0])[np.newaxis]
        else:
            KA = np.matmul(self.K, A[..., np.newaxis])[..., 0]
        return KA.astype(np.float64, copy=False)

    def losses(self, F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Σ ωℓ (p,) and ω∂ℓ (p, n) at scores F."""
        Z = self.sign * F
        return -dots(self.weights, log_expit(Z)), -self.weights * self.sign * expit(-Z)

    def curvature(self, F: np.ndarray) -> np.ndarray:
        """D = ω∂²ℓ (p, n)."""
        return self.weights * expit(F) * expit(-F)


@dataclass
class _Point:
    """Kernel coefficients A (p, n), their functions KA, intercepts b (p,), and J, ∇J, K∇J and D there."""

    A: np.ndarray
    KA: np.ndarray
    b: np.ndarray
    value: np.ndarray
    G: np.ndarray
    KG: np.ndarray
    D: np.ndarray

    def take(self, index: np.ndarray) -> "_Point":
        return _Point(**{field.name: getattr(self, field.name)[index] for field in fields(self)})


@dataclass
class StackedSolution:
    """Minimisers A (p, n) and b (p,) of p problems, and how each was found, as in `Solution`."""

    A: np.ndarray
    b: np.ndarray
    value: np.ndarray
    residual: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray

    @classmethod
    def empty(cls, p: int, n: int) -> "StackedSolution":
        """Room for p problems of n rows."""
        b, value, residual = np.zeros((3, p))
        return cls(np.zeros((p, n)), b, value, residual, np.zeros(p, dtype=int), np.zeros(p, dtype=bool))

    def put(self, index: np.ndarray, *values: np.ndarray) -> None:
        """Write the fields of these problems."""
        for field, value in zip(fields(self), values, strict=True):
            getattr(self, field.name)[index] = value


def stacked_irls(
    stack: BinaryStack, start: tuple[np.ndarray, np.ndarray], *, tol: float, max_iter: int
) -> StackedSolution:
    """Minimise Σωℓ + ½αᵀKα of every problem; stop where the relative residual of each is ≤ tol.

    Parameters
    ----------
    stack : BinaryStack
        The problems.
    start : arrays of shape (p, n) and (p,)
        Kernel coefficients and intercepts.
    tol, max_iter : float, int
        Bound on the residual of `solvers.smooth.irls`, and on the number of re-weightings.
    """
    found, index = StackedSolution.empty(*stack.sign.shape), np.arange(len(stack.K))
    point = _at(stack, start[0], stack.product(start[0]), start[1])
    first, stuck = _norm(point.G, point.KG), np.zeros(len(index), dtype=bool)
    n_iter = np.zeros(len(index), dtype=int)
    while True:
        residual, known = _residuals(stack, point)
        live = (residual > tol) & known & (n_iter < max_iter) & ~stuck
        if 2 * live.sum() <= len(index):
            converged = np.isfinite(point.value) & (residual <= np.maximum(tol, _rounding(stack, point)))
            found.put(index, point.A, point.b, point.value, residual, n_iter, converged)
            if not live.any():
                return found
            index, first, stuck, n_iter, residual = (a[live] for a in (index, first, stuck, n_iter, residual))
            stack, point, live = stack.take(live), point.take(live), live[live]
        # As in irls: superlinear, and never more exact than the goal.
        with np.errstate(divide="ignore", invalid="ignore"):  # 0/0 of those that have arrived
            goal = np.maximum(0.3 * tol / residual, np.sqrt(_norm(point.G, point.KG) / first))
        step = _newton_step(stack, point, np.where(live, np.minimum(0.25, goal), np.inf))
        t = _lengths(stack, point, step, live)
        stuck, n_iter = stuck | (live & (t == 0)), n_iter + (live & (t > 0))
        point = _moved(stack, point, t, step)


def _moved(stack: BinaryStack, point: _Point, t: np.ndarray, step: tuple[np.ndarray, ...]) -> _Point:
    """The point at lengths t (p,) along the steps."""
    dA, dKA, db = step
    return _at(stack, point.A + t[:, None] * dA, point.KA + t[:, None] * dKA, point.b + t * db)


def _at(stack: BinaryStack, A: np.ndarray, KA: np.ndarray, b: np.ndarray) -> _Point:
    """The point with the best intercepts for these coefficients."""
    b = _best_intercepts(stack, KA, b) if stack.fit_intercept else b
    F = KA + b[:, None]
    loss, G = stack.losses(F)
    G += A
    return _Point(A, KA, b, loss + 0.5 * dots(A, KA), G, stack.product(G), stack.curvature(F))


def _best_intercepts(stack: BinaryStack, KA: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Minimise Σωℓ(y, Kα + b) over the b of each problem by Newton's method."""
    total = stack.weights.sum(axis=1)
    loss, G = stack.losses(KA + b[:, None])
    moving = np.ones(len(b), dtype=bool)
    for _ in range(INTERCEPT_ITERATIONS):
        slope, curvature = G.sum(axis=1), stack.curvature(KA + b[:, None]).sum(axis=1)
        moving &= (np.abs(slope) > 1e-12 * total) & (curvature > 0)
        if not moving.any():
            break
        step = np.divide(-slope, curvature, out=np.zeros_like(slope), where=moving)
        last = moving & (-slope * step <= LAST_DECREMENT * np.abs(loss))
        b, moving = np.where(last, b + step, b), moving & ~last
        t = moving.astype(float)
        for _ in range(30):
            tried, G = stack.losses(KA + (b + t * step)[:, None])
            worse = moving & (tried > loss + SUFFICIENT * t * slope * step)
            if not worse.any():
                break
            t = np.where(worse, t / 2, t)
        b, loss = np.where(moving, b + t * step, b), tried
    return b


def _norm(A: np.ndarray, KA: np.ndarray) -> np.ndarray:
    """Norms (p,) in the function space."""
    return np.sqrt(np.maximum(dots(A, KA), 0.0))


def _residuals(stack: BinaryStack, point: _Point) -> tuple[np.ndarray, np.ndarray]:
    """Relative residuals (p,), and whether rounding leaves the length of the gradient known."""
    scale = np.sqrt(stack.mean_diagonal)
    norm = _norm(point.G, point.KG)
    unknown = np.sqrt(np.finfo(stack.K.dtype).eps * stack.mean_diagonal * dots(point.G, point.G))
    return scale * np.maximum(norm, unknown) / (1 + scale * _norm(point.A, point.KA)), norm > unknown


def _newton_step(stack: BinaryStack, point: _Point, rtol: np.ndarray) -> tuple[np.ndarray, ...]:
    """Δα, KΔα and Δb, where (I + D̃K) Δα = −∇J of each problem is solved to its relative error; see `irls`.

    None is taken where rtol is infinite.
    """
    D = point.D
    total = D.sum(axis=1)
    inverse_total = np.divide(
        1.0, total, out=np.zeros_like(total), where=(total > 0) & np.bool_(stack.fit_intercept)
    )
    dA, dKA = np.zeros_like(point.G), np.zeros_like(point.G)
    R, KR = -point.G, -point.KG
    P, KP, rho = R.copy(), KR.copy(), dots(R, KR)
    with np.errstate(invalid="ignore"):  # ∞·0 of those that are not to move
        goal = rtol**2 * rho
    active = rho > goal
    for _ in range(INNER_ITERATIONS):
        image = D * KP
        image -= (image.sum(axis=1) * inverse_total)[:, None] * D
        image += P
        curvature = dots(KP, image)
        active &= curvature > 0
        tau = np.divide(rho, curvature, out=np.zeros_like(rho), where=active)[:, None]
        dA += tau * P
        dKA += tau * KP
        image *= tau
        R -= image
        KR = stack.product(R)
        rho, previous = dots(R, KR), rho
        active &= rho > goal
        if not active.any():
            break
        beta = np.divide(rho, previous, out=np.zeros_like(rho), where=active)[:, None]
        P *= beta
        P += R
        KP *= beta
        KP += KR
    return dA, dKA, -inverse_total * dots(D, dKA)


def _lengths(stack: BinaryStack, point: _Point, step: tuple[np.ndarray, ...], live: np.ndarray) -> np.ndarray:
    """Lengths (p,) along the steps by the rule of `Armijo`; zero where none is accepted or asked for."""
    dA, dKA, db = step
    F, dF = point.KA + point.b[:, None], dKA + db[:, None]
    linear, quadratic = dots(point.KA, dA), dots(dKA, dA)
    fixed = 0.5 * dots(point.KA, point.A)
    slope = dots(point.KG, dA)
    rounding = 8 * np.finfo(float).eps * np.abs(point.value)
    pending = live & (slope < 0)
    t = pending.astype(float)
    while pending.any():
        loss, G = stack.losses(F + t[:, None] * dF)
        value = loss + fixed + t * linear + t**2 / 2 * quadratic
        end_slope = dots(G, dF) + linear + t * quadratic
        falls = value <= point.value + SUFFICIENT * t * slope
        pending &= ~(falls | ((value <= point.value + rounding) & (end_slope <= -0.5 * slope)))
        t = np.where(pending, t / 2, t)
        t[pending & (t < SHORTEST)] = 0.0
        pending &= t > 0
    return t


def _rounding(stack: BinaryStack, point: _Point) -> np.ndarray:
    """Residuals (p,) that rounding alone leaves, as in `irls`."""
    square, rows = stack.mean_diagonal, np.maximum((stack.sign != 0).sum(axis=1), 1)
    error = np.finfo(stack.K.dtype).eps * square * np.abs(point.A).sum(axis=1) / np.sqrt(rows)
    size = 1 + np.sqrt(square) * _norm(point.A, point.KA)
    return np.minimum(square * point.D.sum(axis=1) * error / size, MAX_EXCUSED)


def from_smaller_weights(stack: BinaryStack, *, tol: float, max_iter: int) -> tuple[np.ndarray, np.ndarray]:
    """Solve with a hundredth of the weights, roughly: from there the whole problems are solved sooner."""
    p, n = stack.sign.shape
    easier = replace(stack, weights=stack.weights / 100)
    rough = stacked_irls(easier, (np.zeros((p, n)), np.zeros(p)), tol=tol, max_iter=max_iter)
    return rough.A, rough.b
