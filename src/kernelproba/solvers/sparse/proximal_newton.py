"""Newton's method for a smooth loss with a penalty that has a kink at zero.

Two steps alternate, both of which lower J:

*model*: minimise the second-order model of the loss plus the penalty itself (`penalised_model`).  This step
finds the support.
*reduce*, where that model lacks curvature: around the entries that are not zero J is smooth.  A Newton step
on them, with all the curvature, by conjugate gradients; entries that would pass their kink stop there.

Once the support is right the second step converges as Newton's method does, however parallel the
features: that is what coordinate descent lacks on kernel columns.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from kernelproba.solvers.conjugate_gradient import conjugate_gradient
from kernelproba.solvers.line_search import SUFFICIENT, halvings
from kernelproba.solvers.solution import Solution
from kernelproba.solvers.sparse.group_system import GroupSystem
from kernelproba.solvers.sparse.newton_system import NewtonSystem
from kernelproba.solvers.sparse.objective import RestrictedObjective
from kernelproba.solvers.sparse.quadratic_model import model_step
from kernelproba.solvers.sparse.stall import Stall

#: Most conjugate gradients of a Newton step, and the share of the slope that they leave: the support is
#: another one behind the next model, and a tenth took twice the products for no fewer steps.
INNER_ITERATIONS, RTOL = 100, 0.3
#: Share of the slope that is left where groups have been set to zero: the gain is small beside the slope.
CLEAR_RTOL = 3e-3
#: Parts of these groups that are set to zero, one after the other.
CLEARED_PARTS = (1, 4, 16)
#: Slope of a row's loss in one score, relative to the penalty's, below which the score does not matter to
#: second-order models; it shrinks with the residual.
NEGLIGIBLE = 5e-3
#: Steps in a row without progress after which there will be none.
STALLED_STEPS = 10


def proximal_newton(
    objective: RestrictedObjective, start: np.ndarray, *, tol: float, max_iter: int
) -> Solution:
    """Minimise J from Θ (m + 1, k); stop once the residual is ≤ tol or rounding hides any descent."""
    point, n_iter = Point(objective, start), 0
    stall = Stall(STALLED_STEPS)
    while point.residual > tol and n_iter < max_iter and not stall.seen(point.value, point.residual):
        improved, whole = _model_step(point)
        # The minimum of an exact model is where a Newton step on its support ends, too.
        cleared = _cleared(improved or point) or improved
        moved = improved if whole else _reduced_step(cleared or point) or cleared
        if moved is None:
            break
        point, n_iter = moved, n_iter + 1
    return Solution(point.theta, point.value, point.residual, n_iter, bool(point.residual <= tol))


class Point:
    """Θ with its scores and J; the gradient and what follows from it are computed when asked for."""

    def __init__(self, objective: RestrictedObjective, theta: np.ndarray, scores: np.ndarray | None = None):
        self.objective, self.theta, self.m = objective, theta, len(objective.index)
        self.scores = objective.scores(theta) if scores is None else scores
        self.value, self.score_slope = objective.value(theta, self.scores)

    @cached_property
    def gradient(self) -> np.ndarray:
        """Gradient of the loss."""
        return self.objective.gradient(self.score_slope)

    @cached_property
    def matters(self) -> np.ndarray:
        """Scores of which the loss has a slope worth mentioning, (n, k); its curvature is smaller still."""
        return np.abs(self.score_slope) > NEGLIGIBLE * min(1.0, self.residual**0.5)

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
        for t in halvings(shortest):
            with np.errstate(over="ignore", invalid="ignore"):  # a step too far has no value and is refused
                trial = Point(self.objective, path(t))
                promised = float(np.vdot(self.slope, trial.theta - self.theta))
            if promised < 0 and trial.value <= self.value + SUFFICIENT * promised:
                return trial
            # Where values are all rounding, a smaller residual is the only progress that shows.
            if trial.value <= self.value + rounding and trial.residual < 0.9 * self.residual:
                return trial
        return None


def _model_step(point: Point) -> tuple[Point | None, bool]:
    """Search along the way to the minimum of the model; None if it does not help.

    And whether it goes all the way to the minimum of a model with all the curvature.
    """
    step, exact = model_step(point)
    moved = point.search(lambda t: point.theta + t * step, shortest=2.0**-20)
    return moved, exact and moved is not None and np.array_equal(moved.theta, point.theta + step)


def _cleared(point: Point) -> Point | None:
    """Without the groups that would vanish on their own, the others held fixed; None if that does not help.

    Newton steps around such a group would be as short as it is, and gradients take as many steps.
    """
    objective, m = point.objective, point.m
    if not objective.penalty.is_grouped:
        return None
    smooth, W = objective.smooth, point.theta[: point.m]
    bend = smooth.weights * smooth.loss.curvature_weight(smooth.loss.curvature(point.scores))
    K = smooth.features.whole()
    h = np.einsum("ij,ij,i->j", K, K, bend)[:, None]
    gone = W.any(axis=1) & (objective.penalty.dual_norm(h * W - point.gradient[:m]) < 1)
    if not gone.any():
        return None
    theta = point.theta.copy()
    theta[:m][gone] = 0.0
    trial = Point(objective, theta)
    return trial if trial.value <= point.value else None


def _reduced_step(point: Point) -> Point | None:
    """Newton step on the support; None if it does not help.

    Groups that it takes past their kink may be so small that no share of it helps: the others make up for
    what they do behind it.  Then these, or the smallest, are set to zero, and the step is taken without them.
    """
    objective, theta, m = point.objective, point.theta, point.m
    if point.residual == 0 or not objective.free(theta).any():
        return None
    step = _newton_step(point)

    def path(t: float) -> np.ndarray:
        moved = theta + t * step
        moved[:m] = objective.penalty.clip_at_kink(theta[:m], moved[:m])
        return moved

    moved = point.search(path, shortest=0.125)
    if moved or not objective.penalty.is_grouped:
        return moved
    norms = objective.penalty.dual_norm(point.theta[:m])
    passed = np.flatnonzero((norms > 0) & ~path(1.0)[:m].any(axis=1))
    passed = passed[np.argsort(norms[passed])]
    for count in sorted({len(passed) // part for part in CLEARED_PARTS} - {0}, reverse=True):
        theta = point.theta.copy()
        theta[passed[:count]] = 0.0
        step = _newton_step(Point(objective, theta), CLEAR_RTOL)
        moved = point.search(path, shortest=0.5)
        if moved:
            break
    return moved


def _newton_step(point: Point, rtol: float = RTOL) -> np.ndarray:
    """Step, of the shape of Θ, that solves Newton's equations on the support roughly."""
    objective, theta = point.objective, point.theta
    free, state = objective.free(theta), objective.smooth.loss.curvature(point.scores)
    system: GroupSystem | NewtonSystem
    if objective.penalty.is_grouped:
        system = GroupSystem(objective, theta, np.flatnonzero(free[:, 0]), state)
    else:
        system = NewtonSystem(objective, theta, free, state, point.matters)
    return conjugate_gradient(
        system.product,
        -np.where(free, point.slope, 0.0),
        rtol=rtol,
        max_iter=INNER_ITERATIONS,
        precondition=system.precondition,
    )
