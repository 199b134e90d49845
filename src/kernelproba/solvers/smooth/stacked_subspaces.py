"""Newton's method in growing subspaces for many binary problems at once, such as the pairs of many classes.

A problem is to minimise J(α, b) = Σ ωℓ(y, Kα + b) + ½αᵀKα.  Every gradient α + ω∂ℓ costs one product with K,
and is kept: with v₁ … v_m, the gradients so far made orthonormal in the function space, one step of Newton's
method over all f = Σ wⱼvⱼ + b leads to the next point.  Its Hessian

    I + (KV) D (KV)ᵀ,      D = ω∂²ℓ,      (m, m),  less what the intercept absorbs,

costs nm² operations where a product with K costs n², and m is some ten.  Conjugate gradients forget their
directions at every change of D, which takes three times the products.

Problems of p matrices are worked on in step, by operations on stacks (p, n): a pair of 18 rows takes a few
thousand multiplications, which cost far less than the calls that ask for them.  Problems of fewer than n rows
are padded by rows of weight and kernel value zero, which stay at α = 0.
"""

from dataclasses import dataclass, fields

import numpy as np

from kernelproba.objective import KernelObjective
from kernelproba.solvers.line_search import SHORTEST, SUFFICIENT
from kernelproba.solvers.smooth.binary_stack import BinaryStack, StackLosses, dots
from kernelproba.solvers.smooth.irls import INTERCEPT_ITERATIONS, LAST_DECREMENT, MAX_EXCUSED, KernelSolution

#: Functions kept of a problem: from there on the work in the subspace takes longer than products with K.
MOST_FUNCTIONS = 64
#: Digits, in units of rounding, that a gradient must have left once earlier ones are taken out of it.
NOTHING_NEW = 100


def combinations(W: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Σⱼ wⱼvⱼ (p, n) of coordinates (p, m) and functions (p, m, n)."""
    return np.matmul(W.astype(V.dtype, copy=False)[:, np.newaxis], V)[:, 0]


@dataclass
class StackedSolution:
    """Minimisers A (p, n) and b (p,) of p problems, values KA, and how each was found, as in `Solution`."""

    A: np.ndarray
    KA: np.ndarray
    b: np.ndarray
    value: np.ndarray
    residual: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray

    @classmethod
    def empty(cls, p: int, n: int) -> "StackedSolution":
        """Room for p problems of n rows."""
        (A, KA), (b, value, residual) = np.zeros((2, p, n)), np.zeros((3, p))
        return cls(A, KA, b, value, residual, np.zeros(p, dtype=int), np.zeros(p, dtype=bool))

    def take(self, index: np.ndarray) -> "StackedSolution":
        """Only these problems."""
        return StackedSolution(*(getattr(self, field.name)[index] for field in fields(self)))

    def each(self, *, fit_intercept: bool) -> list[KernelSolution]:
        """The solutions one by one, in the form of `irls`."""
        A = np.hstack([self.A, self.b[:, np.newaxis]]) if fit_intercept else self.A
        how = zip(self.value, self.residual, self.n_iter, self.converged, strict=True)
        return [
            KernelSolution(
                a[:, np.newaxis],
                float(value),
                float(residual),
                int(n_iter),
                bool(converged),
                KA[:, np.newaxis],
            )
            for a, KA, (value, residual, n_iter, converged) in zip(A, self.KA, how, strict=True)
        ]

    def put(self, index: np.ndarray, others: "StackedSolution") -> None:
        """Write the solutions of these problems."""
        for field in fields(self):
            getattr(self, field.name)[index] = getattr(others, field.name)


class _Subspaces:
    """Orthonormal functions of every problem: kernel coefficients V and values KV (p, m, n)."""

    def __init__(self, V: np.ndarray, KV: np.ndarray, size: int = 0):
        self._V, self._KV, self.size = V, KV, size

    @classmethod
    def of(cls, stack: BinaryStack) -> "_Subspaces":
        """Empty ones."""
        p, n = stack.sign.shape
        return cls(*np.empty((2, p, min(MOST_FUNCTIONS, n), n), dtype=stack.dtype))

    @property
    def V(self) -> np.ndarray:
        """Kernel coefficients of the functions so far."""
        return self._V[:, : self.size]

    @property
    def KV(self) -> np.ndarray:
        """Their values."""
        return self._KV[:, : self.size]

    @property
    def full(self) -> bool:
        return self.size == self._V.shape[1]

    def take(self, index: np.ndarray) -> "_Subspaces":
        """Only these problems."""
        return _Subspaces(self._V[index], self._KV[index], self.size)

    def extend(self, A: np.ndarray, KA: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Add one function each; return the coordinates (p, m) of the functions A.

        A function of zeros is added where none is wanted or rounding leaves nothing new.
        """
        c = np.empty((len(A), self.size + 1))
        c[:, :-1] = np.matmul(self.KV, A.astype(self._V.dtype, copy=False)[..., np.newaxis])[..., 0]
        X, KX = A - combinations(c[:, :-1], self.V), KA - combinations(c[:, :-1], self.KV)
        square = dots(X, KX)
        new = wanted & (square > NOTHING_NEW * np.finfo(self._V.dtype).eps * dots(A, KA))
        c[:, -1] = np.sqrt(np.where(new, square, 0.0))
        scale = np.divide(1.0, c[:, -1:], out=np.zeros((len(A), 1)), where=new[:, np.newaxis])
        np.multiply(X, scale, out=self._V[:, self.size], casting="same_kind")
        np.multiply(KX, scale, out=self._KV[:, self.size], casting="same_kind")
        self.size += 1
        return c


@dataclass
class _Point:
    """Coordinates W (p, m) and intercepts b (p,) of functions, their scores F (p, n) and losses."""

    W: np.ndarray
    b: np.ndarray
    F: np.ndarray
    at: StackLosses

    def take(self, index: np.ndarray) -> "_Point":
        """Only these problems."""
        at = StackLosses(self.at.value[index], self.at.G[index], self.at.D[index])
        return _Point(self.W[index], self.b[index], self.F[index], at)


def stacked_subspaces(
    stack: BinaryStack, start: tuple[np.ndarray, np.ndarray], *, tol: float, max_iter: int
) -> StackedSolution:
    """Minimise Σωℓ + ½αᵀKα of every problem; stop where the relative residual of each is ≤ tol.

    A problem that needs more functions than there is room for is returned as not converged.

    Parameters
    ----------
    stack : BinaryStack
        The problems.
    start : arrays of shape (p, n) and (p,)
        Kernel coefficients and intercepts.
    tol, max_iter : float, int
        Bound on the residual of `solvers.smooth.irls`, and on the number of steps.
    """
    found, index = StackedSolution.empty(*stack.sign.shape), np.arange(len(stack.sign))
    spaces = _Subspaces.of(stack)
    point = _first_point(stack, spaces, *start)
    stuck, anew = np.zeros((2, len(index)), dtype=bool)
    n_iter = np.zeros(len(index), dtype=int)
    while True:
        A = combinations(point.W, spaces.V).astype(np.float64, copy=False)
        G = A + point.at.G
        KG = stack.product(G)
        length, known = _length(stack, G, KG)
        residual = _relative(stack, length, np.sqrt(dots(point.W, point.W)))
        live = (residual > tol) & known & (n_iter < max_iter) & ~stuck & np.bool_(not spaces.full)
        if 2 * live.sum() <= len(index):
            point, reached = _judged(stack, point, A, length, n_iter, tol)
            done = ~live & (anew | (reached.residual <= tol))
            found.put(index[done], reached.take(done))
            if done.all():
                return found
            anew = np.ones_like(anew)
            if done.any():
                index, stuck, n_iter, anew = (field[~done] for field in (index, stuck, n_iter, anew))
                stack, spaces, point = stack.take(~done), spaces.take(~done), point.take(~done)
            continue
        slope = spaces.extend(G, KG, live)
        point, t = _moved(stack, point, _newton_step(stack, spaces, point, slope), live)
        stuck, n_iter, anew = stuck | (live & (t == 0)), n_iter + (live & (t > 0)), anew & ~live


def _judged(
    stack: BinaryStack, point: _Point, A: np.ndarray, length: np.ndarray, n_iter: np.ndarray, tol: float
) -> tuple[_Point, StackedSolution]:
    """The points by values computed anew: rounding errors of many products add up in the old ones.

    Gradients had these lengths before; what they are now is bounded without another product.
    """
    KA = stack.product(A)
    now = _at(stack, point.W, KA, point.b)
    # ‖δ‖ ≤ Σ|δᵢ| √k(xᵢ, xᵢ)
    change = np.sqrt(stack.max_diagonal) * np.abs(now.at.G - point.at.G).sum(axis=1)
    norm = _norm(A, KA)
    residual, value = _relative(stack, length + change, norm), now.at.value + 0.5 * norm**2
    converged = np.isfinite(value) & (residual <= np.maximum(tol, _rounding(stack, now, A, norm)))
    return now, StackedSolution(A, KA, now.b, value, residual, n_iter, converged)


def binary_subspace(
    objective: KernelObjective, K: np.ndarray, start: np.ndarray, *, tol: float, max_iter: int
) -> KernelSolution:
    """Solve one problem whose kernel matrix is K (n, n) as `stacked_subspaces` does.

    Parameters
    ----------
    objective : KernelObjective
        Of one score.
    K : array of shape (n, n)
        Its matrix.
    start : array of shape (n + 1, 1), or (n, 1) without an intercept
        Kernel coefficients and, last, the intercept.
    tol, max_iter : float, int
        Bound on the residual of `irls`, and on the number of steps.
    """
    n, free = len(objective.y), objective.fit_intercept
    sign = np.where(objective.y == 1, 1.0, -1.0)[np.newaxis]
    stack = BinaryStack([K], sign, objective.weights[np.newaxis], free)
    at = start[:n].T, start[n] if free else np.zeros(1)
    return stacked_subspaces(stack, at, tol=tol, max_iter=max_iter).each(fit_intercept=free)[0]


def _first_point(stack: BinaryStack, spaces: _Subspaces, A: np.ndarray, b: np.ndarray) -> _Point:
    """The point to set out from, a function of the subspaces."""
    W, KA, given = np.zeros((len(A), 0)), np.zeros(A.shape), (A != 0).any(axis=1)
    if given.any():
        KA = stack.product(A)
        W = spaces.extend(A, KA, given)
    return _at(stack, W, KA, b)


def _at(stack: BinaryStack, W: np.ndarray, KA: np.ndarray, b: np.ndarray) -> _Point:
    """The point of these coordinates and values, with the best intercepts."""
    b = _best_intercepts(stack, KA, b) if stack.fit_intercept else b
    F = KA + b[:, np.newaxis]
    return _Point(W, b, F, stack.losses(F))


def _best_intercepts(stack: BinaryStack, KA: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Minimise Σωℓ(y, Kα + b) over the b of each problem by Newton's method."""
    total = stack.weights.sum(axis=1)
    at = stack.losses(KA + b[:, np.newaxis])
    moving = np.ones(len(b), dtype=bool)
    for _ in range(INTERCEPT_ITERATIONS):
        slope, curvature = at.G.sum(axis=1), at.D.sum(axis=1)
        moving &= (np.abs(slope) > 1e-12 * total) & (curvature > 0)
        if not moving.any():
            break
        # Where all scores are far from zero there is no curvature, and a step would be of any length.
        reach = 1 + np.abs(KA + b[:, np.newaxis]).max(axis=1)
        step = np.divide(-slope, curvature, out=np.zeros_like(slope), where=moving)
        step = np.clip(step, -reach, reach)
        last = moving & (-slope * step <= LAST_DECREMENT * np.abs(at.value))
        b, moving = np.where(last, b + step, b), moving & ~last
        t, value = moving.astype(float), at.value
        for _ in range(30):
            at = stack.losses(KA + (b + t * step)[:, np.newaxis])
            worse = moving & (at.value > value + SUFFICIENT * t * slope * step)
            if not worse.any():
                break
            t = np.where(worse, t / 2, t)
        moving &= ~worse
        b = np.where(moving, b + t * step, b)
    return b


def _norm(A: np.ndarray, KA: np.ndarray) -> np.ndarray:
    """Norms (p,) in the function space."""
    return np.sqrt(np.maximum(dots(A, KA), 0.0))


def _length(stack: BinaryStack, G: np.ndarray, KG: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lengths (p,) of gradients, at least what rounding leaves unknown of them; and whether that is less."""
    norm = _norm(G, KG)
    unknown = np.sqrt(stack.eps * stack.mean_diagonal * dots(G, G))
    return np.maximum(norm, unknown), norm > unknown


def _relative(stack: BinaryStack, length: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """Residuals √k̄ ‖∇J‖ / (1 + √k̄ ‖f‖)."""
    scale = np.sqrt(stack.mean_diagonal)
    return scale * length / (1 + scale * norm)


def _newton_step(
    stack: BinaryStack, spaces: _Subspaces, point: _Point, slope: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Changes of W, b and F, and the slope of J along them."""
    root = np.sqrt(point.at.D)
    B = spaces.KV * root.astype(spaces.KV.dtype, copy=False)[:, np.newaxis]
    H = np.matmul(B, B.mT).astype(np.float64, copy=False)
    # The intercepts answer every change: Δb = −(Σg + hᵀΔw)/Σd, h = (KV) d.
    total, slope_b = dots(root, root), point.at.G.sum(axis=1)
    inverse = np.divide(
        1.0, total, out=np.zeros_like(total), where=(total > 0) & np.bool_(stack.fit_intercept)
    )
    h = np.matmul(B, root.astype(B.dtype, copy=False)[..., np.newaxis])[..., 0].astype(np.float64, copy=False)
    H -= inverse[:, np.newaxis, np.newaxis] * h[..., np.newaxis] * h[:, np.newaxis]
    np.einsum("pii->pi", H)[...] += 1.0
    rhs = (inverse * slope_b)[:, np.newaxis] * h - slope
    dW = _solved(H, rhs)
    db = -inverse * (slope_b + dots(h, dW))
    dF = combinations(dW, spaces.KV) + db[:, np.newaxis]
    return dW, db, dF, dots(slope, dW) + slope_b * db


def _solved(H: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """H⁻¹ rhs (p, m); zero, a step that leads nowhere, where rounding has left H singular (C of 1e100)."""
    try:
        return np.linalg.solve(H, rhs[..., np.newaxis])[..., 0]
    except np.linalg.LinAlgError:
        return np.zeros_like(rhs) if len(H) == 1 else np.vstack(list(map(_solved, H[:, None], rhs[:, None])))


def _moved(
    stack: BinaryStack, point: _Point, step: tuple[np.ndarray, ...], live: np.ndarray
) -> tuple[_Point, np.ndarray]:
    """The points along the steps by the rule of `Armijo`, and lengths (p,): zero where none is accepted."""
    dW, db, dF, slope = step
    W = np.zeros_like(dW)
    W[:, :-1] = point.W
    before = point.at.value + 0.5 * dots(W, W)
    rounding = 8 * np.finfo(float).eps * np.abs(before)
    pending = live & (slope < 0)
    t = pending.astype(float)
    while True:
        to, F = W + t[:, np.newaxis] * dW, point.F + t[:, np.newaxis] * dF
        at = stack.losses(F)
        value, end_slope = at.value + 0.5 * dots(to, to), dots(at.G, dF) + dots(to, dW)
        falls = value <= before + SUFFICIENT * t * slope
        pending &= ~(falls | ((value <= before + rounding) & (end_slope <= -0.5 * slope)))
        if not pending.any():
            return _Point(to, point.b + t * db, F, at), t
        t = np.where(pending, t / 2, t)
        t[pending & (t < SHORTEST)] = 0.0
        pending &= t > 0


def _rounding(stack: BinaryStack, point: _Point, A: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """Residuals (p,) that rounding alone leaves, as in `irls`."""
    square, rows = stack.mean_diagonal, np.maximum((stack.sign != 0).sum(axis=1), 1)
    error = stack.eps * square * np.abs(A).sum(axis=1) / np.sqrt(rows)
    return np.minimum(square * point.at.D.sum(axis=1) * error / (1 + np.sqrt(square) * norm), MAX_EXCUSED)
