"""Bound optimisation (shim2007, after Krishnapuram et al. 2005).

The kink of the penalty is bounded by a quadratic that touches it at the iterate, |a| ≤ ½(a²/|aᵗ| + |aᵗ|), and
the loss by one with Böhning's curvature B, B_kl = ½(δ_kl − 1/c) Kᵀ Ω K (¼ KᵀΩK for one logistic score).
The minimum of the bound is the next iterate, θ⁺ = θ − (B + L)⁻¹ G with L = diag(1/|θ|) (3.8).  1/|θ| is never
formed: with S = diag(|θ|)^½, and 1 in place of |θ| for the intercepts, which are not penalised,

    (S B S + E) v = S (Bθ − g),      θ⁺ = S v,      E = 1 for coefficients, 0 for intercepts

which is well posed when entries vanish.  J never rises.  With the Hessian H at the iterate in place of B this
is (3.6): fewer and dearer steps, shortened where J would rise.

Softmax and a penalty of whole rows: all scores share S, and ½(I − 11ᵀ/c) is ½ on a row less its mean and 0 on
the mean, so that one matrix of the rows, ½ S KᵀΩK S + E, serves all scores.

An entry at zero stays there under (3.8).  Entries that vanish are therefore set to zero once their slope
permits, and those at zero with too steep a slope are moved by a proximal step under the same bound.
Memory and time are those of dense matrices in all entries that are not zero: this is the yardstick, not the
tool.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.linalg import lapack

from kernelproba.linalg import solve_semidefinite
from kernelproba.losses import Logistic
from kernelproba.solvers.line_search import halvings
from kernelproba.solvers.solution import Solution
from kernelproba.solvers.sparse.newton_system import damped, hessian_block, weighted_gram
from kernelproba.solvers.sparse.objective import RestrictedObjective, SparseObjective
from kernelproba.solvers.sparse.proximal_newton import Point

#: Size of an entry, relative to the largest, below which it may be set to zero.
VANISHED = 1e-6

Curvature = Callable[[Point, tuple[np.ndarray, np.ndarray]], np.ndarray]
Step = Callable[[Point], Point]


def bound_optimisation(
    objective: SparseObjective, start: np.ndarray, *, tol: float, max_iter: int
) -> Solution:
    """Minimise J by (3.8); stop once the residual is ≤ tol."""
    restricted = objective.restrict(np.arange(len(objective.columns)))
    bound = _BohningBound(restricted)
    shared = restricted.penalty.is_grouped and not bound.logistic
    step = partial(_row_step, gram=bound.gram) if shared else partial(_step, curvature=bound)
    return _iterate(restricted, start, step, tol=tol, max_iter=max_iter)


def exact_bound_optimisation(
    objective: SparseObjective, start: np.ndarray, *, tol: float, max_iter: int
) -> Solution:
    """Minimise J by (3.6), the Hessian of the loss in place of its bound; stop once the residual is ≤ tol."""
    restricted = objective.restrict(np.arange(len(objective.columns)))
    return _iterate(restricted, start, partial(_step, curvature=_hessian), tol=tol, max_iter=max_iter)


def _iterate(objective: RestrictedObjective, start, step: Step, *, tol, max_iter) -> Solution:
    point, n_iter = Point(objective, start), 0
    safe = 1.0 / max(
        _largest_curvature(objective), float(np.finfo(float).tiny)
    )  # a kernel may be 0 throughout
    while point.residual > tol and n_iter < max_iter:
        released = _release(point, safe)
        moved = step(released)
        if moved is released and released is point:
            break
        point, n_iter = _discard(moved), n_iter + 1
    return Solution(point.theta, point.value, point.residual, n_iter, bool(point.residual <= tol))


class _BohningBound:
    """B at the chosen entries of Θ, from one Gram matrix of all features."""

    def __init__(self, objective: RestrictedObjective):
        smooth, k = objective.smooth, objective.smooth.n_scores
        self.gram = weighted_gram(smooth, np.arange(smooth.shape[0]), smooth.weights)
        self.logistic = isinstance(smooth.loss, Logistic)
        self.between = np.array([[0.25]]) if self.logistic else 0.5 * (np.eye(k) - 1.0 / k)

    def __call__(self, point: Point, at: tuple[np.ndarray, np.ndarray]) -> np.ndarray:  # noqa: ARG002 — constant
        rows, scores = at
        return self.gram[np.ix_(rows, rows)] * self.between[np.ix_(scores, scores)]


def _hessian(point: Point, at: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    rows, scores = at
    smooth = point.objective.smooth
    parts = [(k, rows[scores == k]) for k in range(smooth.n_scores)]
    return damped(hessian_block(smooth, smooth.loss.curvature(point.scores), parts))


def _step(point: Point, curvature: Curvature) -> Point:
    """Next iterate; the same point if rounding hides any descent."""
    theta, m = point.theta, point.m
    scores, rows = np.nonzero(point.objective.free(theta).T)
    size = np.where(rows < m, _sizes(point)[np.minimum(rows, m - 1), scores], 1.0)
    S, B = np.sqrt(size), curvature(point, (rows, scores))
    # Softmax does not feel equal shifts of all intercepts: a trace of curvature there fixes them.
    B[np.diag_indices_from(B)] += np.where(rows < m, 0.0, 1e-10 * np.trace(B) / len(B))
    system = S[:, None] * B * S + np.diag((rows < m) * 1.0)
    rhs = S * (B @ theta[rows, scores] - point.gradient[rows, scores])
    step = np.zeros_like(theta)
    step[rows, scores] = S * _solve(system, rhs) - theta[rows, scores]
    return _lower(point, step)


def _row_step(point: Point, gram: np.ndarray) -> Point:
    """`_step` with Böhning's bound where S and E are the same for all scores."""
    theta, m = point.theta, point.m
    rows = np.flatnonzero(point.objective.free(theta)[:, 0])
    kinked = rows < m
    S = np.sqrt(np.where(kinked, _sizes(point)[np.minimum(rows, m - 1), 0], 1.0))[:, None]
    B, before = 0.5 * gram[np.ix_(rows, rows)], _without_mean(theta[rows])
    rhs = S * (B @ before - _without_mean(point.gradient[rows]))
    after = S * _solve(S * B * S.T + np.diag(kinked * 1.0), rhs)
    # The loss has no slope along the means: the penalty takes them to zero, and the intercepts keep theirs.
    after += np.where(kinked, 0.0, theta[rows].mean(axis=1))[:, None]
    step = np.zeros_like(theta)
    step[rows] = after - theta[rows]
    return _lower(point, step)


def _without_mean(rows: np.ndarray) -> np.ndarray:
    return rows - rows.mean(axis=1, keepdims=True)


def _solve(system: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """Solution by Cholesky's method, or of least squares where rounding leaves no factor."""
    _, v, info = lapack.dposv(system, rhs, lower=1)
    return v if info == 0 else solve_semidefinite(system, rhs)


def _lower(point: Point, step: np.ndarray) -> Point:
    """Halve the step while J rises."""
    for t in halvings(2.0**-19):
        trial = Point(point.objective, point.theta + t * step)
        if trial.value <= point.value:
            return trial
    return point


def _sizes(point: Point) -> np.ndarray:
    """|W_jk|, or ‖W_j‖ where rows share a kink, (m, k)."""
    W = point.theta[: point.m]
    if not point.objective.penalty.is_grouped:
        return np.abs(W)
    return np.broadcast_to(point.objective.penalty.dual_norm(W)[:, None], W.shape)


def _release(point: Point, safe: float) -> Point:
    """Proximal step, short enough to lower J for certain, for entries at zero with too steep a slope."""
    m, penalty = point.m, point.objective.penalty
    free = point.objective.free(point.theta)[:m]
    outside = np.where(free, 0.0, point.slope[:m])
    inside = np.where(free, point.slope[:m], 0.0)
    if penalty.dual_norm(outside).max(initial=0.0) <= penalty.dual_norm(inside).max(initial=0.0):
        return point
    moved = point.theta.copy()
    moved[:m] = np.where(free, moved[:m], penalty.prox(-safe * point.gradient[:m], safe))
    return _lower(point, moved - point.theta)


def _discard(point: Point) -> Point:
    """Set entries to zero that have all but vanished and would shrink further."""
    m, penalty = point.m, point.objective.penalty
    size = _sizes(point)
    flat = (
        penalty.dual_norm(point.gradient[:m])[:, None] < 1
        if penalty.is_grouped
        else np.abs(point.gradient[:m]) < 1
    )
    gone = (size > 0) & (size < VANISHED * size.max(initial=0.0)) & flat
    if not gone.any():
        return point
    theta = point.theta.copy()
    theta[:m][gone] = 0.0
    trial = Point(point.objective, theta)
    return trial if trial.value <= point.value else point


def _largest_curvature(objective: RestrictedObjective) -> float:
    """Bound on the eigenvalues of B: the largest row sum of |K|ᵀΩ|K|."""
    smooth = objective.smooth
    K = np.abs(smooth.features.whole())
    return smooth.loss.curvature_bound * float((K.T @ (smooth.weights * K.sum(axis=1))).max())
