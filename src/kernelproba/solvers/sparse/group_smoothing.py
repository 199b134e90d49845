"""The group lasso by primal-dual Newton steps on a smoothed penalty, the kink sharpened as they converge.

    J_μ(Θ) = Σ ω ℓ + Σⱼ sⱼ,      sⱼ = √(‖Wⱼ‖² + μ²)

Newton's method on ∇ℓ + W/s = 0 has a small region of convergence when μ is small.  With U = W/s as an unknown
of its own, s U = W is all but linear, and steps remain long down to tiny μ [Chan, Golub & Mulet 1999]:

    (∇²ℓ + (I − ½(U Wᵀ + W Uᵀ)/s)/s) D = −∇J_μ,      U⁺ = (W + D)/s − U ⟨W, D⟩/s²,  brought back to ‖Uⱼ‖ ≤ 1

The system has all the curvature between scores, whatever the strength of the penalty.  Up to DENSE_SIZE
entries it is factorised, beyond that solved by conjugate gradients, and μ falls more slowly.  Rows that end
next to zero with a slope below the penalty's are set to zero, and μ falls until the residual of J is small.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kernelproba.linalg import solve_semidefinite
from kernelproba.penalties import GroupLasso
from kernelproba.rows.store import as_rows
from kernelproba.solvers.conjugate_gradient import conjugate_gradient
from kernelproba.solvers.line_search import SUFFICIENT, halvings
from kernelproba.solvers.solution import Solution
from kernelproba.solvers.sparse.group_system import GroupSystem
from kernelproba.solvers.sparse.newton_system import damped, shared_hessian
from kernelproba.solvers.sparse.objective import RestrictedObjective
from kernelproba.solvers.sparse.proximal_newton import Point, proximal_newton

#: Entries of Θ up to which the Newton system is factorised.
DENSE_SIZE = 4000
#: Steps after which μ falls in any case.
MOST_STEPS = 20
#: Sizes of a row, in units of μ, up to which it may be set to zero, one tried after the other.
VANISHED = (30.0, 10.0, 3.0, 1.0)
#: Residual from which on a Newton step on the rows in use is tried beside.
POLISHED = 0.3
#: Relative difference of J below which the residual tells which of two points is nearer to the minimum.
SAME_VALUE = 1e-6
INNER_ITERATIONS, RTOL = 40, 0.03
#: Residual to which many entries are smoothed before proximal steps see to the rest, and the share of J that
#: makes smoothing alone worth a round.
ROUGH_GOAL, GAIN = 0.1, 1e-5
#: Least share of a step that is taken, and of one without a ridge before the one with it is tried.
SHORTEST, SHORTEST_EXACT = 2.0**-12, 2.0**-8


class Fall(NamedTuple):
    """μ relative to the mean norm of the rows in use, first and last, and its fall from step to step."""

    first: float
    least: float
    factor: float


#: Of few entries; and of many, in units of the goal.
EXACT, ROUGH = Fall(1e-1, 1e-9, 0.2), Fall(0.3, 1e-2, 0.3)


@dataclass(frozen=True)
class SmoothedGroups(GroupLasso):
    """Σⱼ √(‖Wⱼ‖² + μ²) with its curvature as it is with the dual U (p, k)."""

    mu: float
    U: np.ndarray

    @classmethod
    def at(cls, W: np.ndarray, mu: float) -> "SmoothedGroups":
        """Return the penalty with the dual that belongs to W."""
        return cls(mu, W / np.hypot(GroupLasso().dual_norm(W), mu)[:, None])

    def sizes(self, W: np.ndarray) -> np.ndarray:
        """S (p, 1)."""
        return np.hypot(self.dual_norm(W), self.mu)[:, None]

    def curvature_product(self, W, V):
        s = self.sizes(W)
        along = np.einsum("jk,jk->j", W, V)[:, None], np.einsum("jk,jk->j", self.U, V)[:, None]
        return (V - 0.5 * (self.U * along[0] + W * along[1]) / s) / s

    def curvature_bound(self, W):
        return 1.0 / self.sizes(W)[:, 0]

    def next_dual(self, W: np.ndarray, D: np.ndarray) -> np.ndarray:
        """U⁺ for a step D."""
        s = self.sizes(W)
        U = (W + D) / s - self.U * np.einsum("jk,jk->j", W, D)[:, None] / s**2
        return U / np.maximum(self.dual_norm(U), 1.0)[:, None]


def group_newton(objective: RestrictedObjective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """Minimise J from Θ (m + 1, k), by smoothing, and by proximal steps where there are many entries.

    Proximal steps end there: few are left once most groups that vanish are zero, while smoothed ones take
    more and more conjugate gradients as μ falls.
    """
    if start.size <= DENSE_SIZE:
        return smoothed_newton(objective, start, tol=tol, max_iter=max_iter)
    fall = Fall(ROUGH.first * min(1.0, tol), ROUGH.least * min(1.0, tol), ROUGH.factor)
    first = smoothed_newton(objective, start, tol=max(tol, ROUGH_GOAL), max_iter=max_iter, fall=fall)
    before = Point(objective, start).value
    if first.residual <= tol or (first.residual > ROUGH_GOAL and first.value < (1 - GAIN) * before):
        return first
    second = proximal_newton(objective, first.coef, tol=tol, max_iter=max_iter - first.n_iter)
    return replace(second, n_iter=first.n_iter + second.n_iter)


def smoothed_newton(
    objective: RestrictedObjective,
    start: np.ndarray,
    *,
    tol: float,
    max_iter: int,
    fall: Fall = EXACT,
) -> Solution:
    """Minimise J from Θ (m + 1, k); stop once the residual is ≤ tol or μ is down at its least."""
    point, m = Point(objective, start), len(objective.index)
    best, norms = point, objective.penalty.dual_norm(start[:m])
    size = norms[norms > 0].mean() if norms.any() else 1.0
    groups = SmoothedGroups.at(start[:m], fall.first * size * min(1.0, point.residual))
    n_iter, at_mu = 0, 0
    while best.residual > tol and n_iter < max_iter and groups.mu > fall.least * size:
        point, groups, t = smoothed_step(point, groups)
        n_iter, at_mu = n_iter + 1, at_mu + 1
        # Long steps say that this μ has been dealt with; where none leads on another μ may.
        dealt = t > 0.5 or t == 0.0 or at_mu == MOST_STEPS
        if dealt:
            groups, at_mu = replace(groups, mu=groups.mu * fall.factor), 0
        if dealt or fall is EXACT:
            sharp = sharpened(point, groups.mu, np.inf if fall is EXACT else best.value)
            best = _better(_better(best, sharp), _polished(sharp) if fall is EXACT else sharp)
    return Solution(best.theta, best.value, best.residual, n_iter, bool(best.residual <= tol))


def _better(kept: Point, other: Point) -> Point:
    """The lower of two points or, where J does not tell them apart, the flatter one.

    Far from the minimum the residual says little: rows that are sure of a wrong label have hardly any slope.
    """
    gain = kept.value - other.value
    if abs(gain) > SAME_VALUE * abs(kept.value):
        return other if gain > 0 else kept
    return min(kept, other, key=lambda point: point.residual)


def _polished(point: Point) -> Point:
    """Behind one Newton step on the rows in use, around which J itself is smooth."""
    m, used = point.m, np.flatnonzero(point.theta[: point.m].any(axis=1))
    if point.residual > POLISHED or not len(used):
        return point
    smooth = point.objective.smooth
    features = as_rows(smooth.features.whole()[:, used])
    inside = RestrictedObjective(replace(smooth, features=features), point.objective.penalty, used)
    rows = np.append(used, np.arange(m, len(point.theta)))
    moved = smoothed_step(Point(inside, point.theta[rows]), SmoothedGroups.at(point.theta[used], 0.0))[0]
    theta = np.zeros_like(point.theta)
    theta[rows] = moved.theta
    return Point(point.objective, theta)


def smoothed_step(point: Point, groups: SmoothedGroups) -> tuple[Point, SmoothedGroups, float]:
    """One Newton step on J_μ: where it leads, the dual there, and its length, 0 if it leads nowhere."""
    m, W = point.m, point.theta[: point.m]
    slope = point.gradient.copy()
    slope[:m] += W / groups.sizes(W)
    here = point.value - point.objective.penalty.value(W) + groups.sizes(W).sum()
    for step, shortest in _newton_directions(point, groups, slope):
        promised, moved = float(np.vdot(slope, step)), point.objective.scores(step)
        for t in halvings(shortest):
            with np.errstate(over="ignore", invalid="ignore"):
                trial = Point(point.objective, point.theta + t * step, point.scores + t * moved)
                there = trial.value - trial.objective.penalty.value(trial.theta[:m])
                there += groups.sizes(trial.theta[:m]).sum()
            if there <= here + SUFFICIENT * t * promised + 1e-13 * abs(here):
                return trial, replace(groups, U=groups.next_dual(W, t * step[:m])), t
    return point, groups, 0.0


def _newton_directions(
    point: Point, groups: SmoothedGroups, slope: np.ndarray
) -> Iterator[tuple[np.ndarray, float]]:
    """Yield steps to try one after the other, and how short each may become."""
    objective, state = point.objective, point.objective.smooth.loss.curvature(point.scores)
    if slope.size <= DENSE_SIZE:
        H = _dense_system(point, groups, slope.shape, state)
        # A ridge of more than rounding may outweigh the penalty's curvature, 1/s, where coefficients are
        # large; without it steps may be all rounding.
        yield solve_semidefinite(H, -slope.T.ravel()).reshape(slope.shape[::-1]).T, SHORTEST_EXACT
        yield solve_semidefinite(damped(H), -slope.T.ravel()).reshape(slope.shape[::-1]).T, SHORTEST
        return
    everything = np.arange(len(slope))
    system = GroupSystem(replace(objective, penalty=groups), point.theta, everything, state)
    step = conjugate_gradient(
        system.product, -slope, rtol=RTOL, max_iter=INNER_ITERATIONS, precondition=system.precondition
    )
    yield step, SHORTEST


def _dense_system(
    point: Point, groups: SmoothedGroups, shape: tuple[int, int], state: np.ndarray
) -> np.ndarray:
    """Return the whole system, entries one score after the other."""
    rows, k = shape
    H = shared_hessian(point.objective.smooth, state)
    W, m = point.theta[: point.m], point.m
    s = groups.sizes(W)[:, 0]
    at = np.arange(m)
    for i in range(k):
        for j in range(k):
            mixed = -0.5 * (groups.U[:, i] * W[:, j] + W[:, i] * groups.U[:, j]) / s
            H[i * rows + at, j * rows + at] += ((i == j) + mixed) / s
    return H


def sharpened(point: Point, mu: float, highest: float) -> Point:
    """The point without rows that are next to zero and not steep, as many as keep J below `highest`."""
    m, penalty = point.m, point.objective.penalty
    norms, slopes = penalty.dual_norm(point.theta[:m]), penalty.dual_norm(point.gradient[:m])
    for reach in VANISHED:
        gone = (norms > 0) & (norms <= reach * mu) & (slopes < 1)
        if not gone.any():
            break
        theta = point.theta.copy()
        theta[:m][gone] = 0.0
        sharp = Point(point.objective, theta)
        if sharp.value <= highest:
            return sharp
    return point
