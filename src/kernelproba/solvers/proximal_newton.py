"""Newton's method for a smooth loss with a penalty that has a kink at zero.

Two steps alternate, both of which lower J:

*model*: minimise the second-order model of the loss plus the penalty itself.  For the lasso it is
solved exactly by an active set; where it is large the curvature between scores is left out, so that it falls
apart into one problem per score.  For the group lasso one curvature serves all scores.  This step finds
the support.
*reduce*: around the entries that are not zero J is smooth.  A Newton step on them, with all the curvature,
by conjugate gradients; entries that would pass their kink stop there.

Once the support is right the second step converges as Newton's method does, however parallel the
features: that is what coordinate descent lacks on kernel columns.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from .conjugate_gradient import conjugate_gradient
from .group_quadratic import group_quadratic
from .lasso_quadratic import lasso_quadratic
from .newton_system import NewtonSystem, damping, hessian_block, weighted_gram
from .solution import Solution
from .sparse_objective import RestrictedObjective

SUFFICIENT = 1e-4
INNER_ITERATIONS = 100
#: Entries up to which the model of a lasso takes the curvature between scores into account.
JOINT_SIZE = 600


def proximal_newton(
    objective: RestrictedObjective, start: np.ndarray, *, tol: float, max_iter: int
) -> Solution:
    """Minimise J from Θ (m + 1, k); stop once the residual is ≤ tol or rounding hides any descent."""
    point, n_iter = Point(objective, start), 0
    while point.residual > tol and n_iter < max_iter:
        improved = _model_step(point)
        moved = _reduced_step(improved or point) or improved
        if moved is None:
            break
        point, n_iter = moved, n_iter + 1
    return Solution(point.theta, point.value, point.residual, n_iter, bool(point.residual <= tol))


class Point:
    """Θ with its scores and J; the gradient and what follows from it are computed when asked for."""

    def __init__(self, objective: RestrictedObjective, theta: np.ndarray):
        self.objective, self.theta, self.m = objective, theta, len(objective.index)
        self.scores = objective.scores(theta)
        self.value = objective.value(theta, self.scores)

    @cached_property
    def gradient(self) -> np.ndarray:
        """Gradient of the loss."""
        return self.objective.gradient(self.scores)

    @cached_property
    def slope(self) -> np.ndarray:
        """Shortest subgradient of J."""
        return self.objective.subgradient(self.theta, self.gradient)

    @cached_property
    def residual(self) -> float:
        """Its size."""
        return self.objective.residual(self.slope)

    def search(self, path: Callable[[float], np.ndarray], *, shortest: float) -> "Point | None":
        """Halve t from 1 until J at path(t) is below J by a share of what the slope promises."""
        rounding = 8 * float(np.finfo(float).eps) * abs(self.value)
        t = 1.0
        while t >= shortest:
            trial = Point(self.objective, path(t))
            promised = float(np.vdot(self.slope, trial.theta - self.theta))
            if promised < 0 and trial.value <= self.value + SUFFICIENT * promised:
                return trial
            # Where values are all rounding, a smaller residual is the only progress that shows.
            if trial.value <= self.value + rounding and trial.residual < 0.9 * self.residual:
                return trial
            t /= 2
        return None


def _model_step(point: Point) -> Point | None:
    """Search along the way to the minimum of the model."""
    step = np.zeros_like(point.theta)
    state = point.objective.smooth.loss.curvature(point.scores)
    if point.objective.penalty.by_rows:
        _fill_group_step(point, state, step)
    else:
        _fill_lasso_step(point, state, step)
    return point.search(lambda t: point.theta + t * step, shortest=2.0**-20)


def _fill_lasso_step(point: Point, state: np.ndarray, step: np.ndarray) -> None:
    """Write the step of all scores: together while that is cheap, else each as if the others stood still."""
    W = point.theta[: point.m]
    rows = [_candidates(point, np.abs(point.slope[: point.m, k]), W[:, k] != 0) for k in range(W.shape[1])]
    together = sum(map(len, rows)) <= JOINT_SIZE
    parts = [list(range(W.shape[1]))] if together else [[k] for k in range(W.shape[1])]
    for scores in parts:
        at = np.concatenate([rows[k] for k in scores]), np.repeat(scores, [len(rows[k]) for k in scores])
        step[at] = _lasso_step(point, state, [(k, rows[k]) for k in scores], at)


def _lasso_step(point: Point, state: np.ndarray, parts: list, at: tuple) -> np.ndarray:
    """Minimise ½ dᵀQd + Dᵀd + ‖w + d‖₁ over the entries `at` of Θ, Q their block of the Hessian."""
    Q = hessian_block(point.objective.smooth, state, parts)
    x, strength = point.theta[at], (at[0] < point.m) * 1.0
    linear = point.gradient[at] - Q @ x
    return lasso_quadratic(Q, linear, strength, x, tol=0.1 * point.residual) - x


def _fill_group_step(point: Point, state: np.ndarray, step: np.ndarray) -> None:
    """Write the step of all scores, with one curvature per row of the data."""
    smooth, penalty = point.objective.smooth, point.objective.penalty
    rows = _candidates(point, penalty.size(point.slope[: point.m]), np.any(point.theta[: point.m], axis=1))
    Q = weighted_gram(smooth, rows, smooth.weights * smooth.loss.curvature_weight(state))
    Q[np.diag_indices_from(Q)] += damping(np.trace(Q) / max(len(Q), 1))
    X, strength = point.theta[rows], (rows < point.m) * 1.0
    linear = point.gradient[rows] - Q @ X
    step[rows] = group_quadratic(Q, linear, strength, X, tol=0.1 * point.residual) - X


def _candidates(point: Point, slope: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Rows of Θ: the support, a third as many of the steepest others (ten at least), and the intercept."""
    outside = np.where(support, 0.0, slope)
    count = min(len(slope), max(10, int(support.sum()) // 3))
    cut = np.sort(outside)[-count] if count else 0.0
    chosen = support | ((outside > 0) & (outside >= cut))
    return np.flatnonzero(np.append(chosen, np.ones(len(point.theta) - point.m, dtype=bool)))


def _reduced_step(point: Point) -> Point | None:
    """Newton step on the support; None if it does not help."""
    objective, theta, m = point.objective, point.theta, point.m
    free = objective.free(theta)
    if point.residual == 0 or not free.any():
        return None
    system = NewtonSystem(objective, theta, free, objective.smooth.loss.curvature(point.scores))
    step = conjugate_gradient(
        system.product,
        -np.where(free, point.slope, 0.0),
        rtol=min(0.1, float(np.sqrt(point.residual))),
        max_iter=INNER_ITERATIONS,
        precondition=system.precondition,
    )

    def path(t: float) -> np.ndarray:
        moved = theta + t * step
        moved[:m] = objective.penalty.confine(theta[:m], moved[:m])
        return moved

    return point.search(path, shortest=0.125)
