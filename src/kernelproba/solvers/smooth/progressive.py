"""Few passes over many rows: quasi-Newton steps that set out from what a sample of the rows has taught.

A fit on a sample costs little and leaves two things behind: coefficients that are off by the noise of the
sample alone, and its curvature, which preconditions the steps of the next, larger problem.  Levels grow by
a factor; all rows are seen at the last one only, about ten times.

Where the penalty is weak a sample of few rows is separable, or nearly so, and its function is too certain to
be of use: on more rows it may be worse than no function at all, and its curvature is next to nothing.  So a
sample gets few steps, and its function is shrunk to what suits the next one best.

The steps are L-BFGS with P⁻¹ of `preconditioner` as the first guess of the inverse Hessian, so that already
the first step is a Newton step of the sample.  One pass over the rows gives J and ∇J; nothing else is asked
of them.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import NamedTuple

import numpy as np

from kernelproba.objective import Objective
from kernelproba.solvers.line_search import backtrack
from kernelproba.solvers.smooth.preconditioner import Preconditioner, precondition
from kernelproba.solvers.solution import Solution

MEMORY = 20
#: Residual at which a sample of which everything is kept has taught what it can.
SAMPLE_TOL = 0.06
#: Steps before the curvature is worth computing anew: of the first sample, whose curvature costs little, and
#: of others; and steps that a sample is worth after that.
FIRST_REFRESHES, REFRESHES, SAMPLE_STEPS = (6, 12), (12,), 12
#: Factors by which the function of a sample may be shrunk.
SHRINKAGE = (1.0, 0.8, 0.5, 0.25, 0.12, 0.06, 0.03, 0.0)
#: Factors for every score pay where Gram matrices of r rows cost less than this: r p ≤ GRAM_COST_RATIO n.
GRAM_COST_RATIO = 200


class Iterate(NamedTuple):
    """Θ, J and ∇J."""

    theta: np.ndarray
    value: float
    gradient: np.ndarray


def progressive(
    samples: Sequence[Objective],
    full: Objective | None,
    start: np.ndarray,
    *,
    tol: float,
    max_iter: int,
    step: Callable[[], AbstractContextManager] = nullcontext,
    larger: Iterable[Objective] = (),
) -> Solution:
    """Minimise an objective by way of samples of its rows; stop once the residual is ≤ tol.

    The residual is √(2 gᵀH⁻¹g / J) with the H that the steps use.  ½ gᵀH⁻¹g estimates J − min J; it may be
    low by a factor, for which four is allowed, so that J is within about tol² J of its minimum.

    Parameters
    ----------
    samples : sequence of Objective
        The same problem on growing samples in memory, each weighted as all rows are.
    full : Objective, optional
        The problem itself, with all rows; by default the last sample, which then has all rows.
    start : array of the shape of Θ
        Where to set out.
    tol, max_iter : float, int
        Bounds on the residual, and on the steps at each level.
    step : callable
        Makes the context of each step.
    larger : iterable of Objective
        The problem on samples between the last one and all rows, too large for their curvature to be
        computed; each is made when it is come to.
    """
    theta, last = start, samples[-1] if full is None else full
    for objective in chain(samples, larger, () if full is None else (full,)):
        base = min(objective, samples[-1], key=_n_rows)
        goal = tol if objective is last else max(tol, _sample_tol(base, objective))
        if objective is not samples[0] and objective is not full:
            theta = _shrunk(objective, theta)
        refreshes = (FIRST_REFRESHES if objective is samples[0] else REFRESHES) if objective is base else ()
        for steps in (*refreshes, max_iter if objective is last else SAMPLE_STEPS):
            P = precondition(base, theta, per_score=_pays(base, objective))
            point, n_iter, residual = _steps(objective, theta, P, goal, min(steps, max_iter), step)
            theta = point.theta
            if residual <= goal:
                break
    return _solution(objective, point, n_iter, residual, tol)


def _sample_tol(base: Objective, objective: Objective) -> float:
    """Residual at which a sample has taught what it can: its noise falls with the root of its rows."""
    return SAMPLE_TOL * float(np.sqrt(_n_rows(base) / _n_rows(objective)))


def _shrunk(objective: Objective, theta: np.ndarray) -> np.ndarray:
    """Θ times the factor with which J is least."""
    scores, (W, _) = objective.scores(theta), objective.split(theta)

    def value(factor: float) -> float:
        fit, _ = objective.loss.value_and_gradient(factor * scores, objective.y, objective.weights)
        return fit + objective.penalty.value(factor * W)

    return theta * min(SHRINKAGE, key=value)


def _n_rows(objective: Objective) -> int:
    return len(objective.features)


def start_curvature(sample: Objective, full: Objective | None, start: np.ndarray) -> Preconditioner:
    """Curvature at a start, as a sample in memory tells it; it serves similar weights, too."""
    return precondition(sample, start, per_score=_pays(sample, sample if full is None else full))


def resumed(
    objective: Objective,
    P: Preconditioner,
    start: np.ndarray,
    *,
    tol: float,
    max_iter: int,
    step: Callable[[], AbstractContextManager] = nullcontext,
) -> Solution:
    """Minimise from a start that is nearly right, such as the minimum for other weights of the same rows.

    Parameters
    ----------
    objective : Objective
        The problem, with all rows.
    P : Preconditioner
        Curvature at the start, of `start_curvature`.
    start, tol, max_iter, step
        As of `progressive`.
    """
    return _solution(objective, *_steps(objective, start, P, tol, max_iter, step), tol)


def _solution(objective: Objective, point: Iterate, n_iter: int, residual: float, tol: float) -> Solution:
    """What was reached, and whether it is the minimum as far as rounding lets one tell."""
    theta, gradient = point.theta, point.gradient
    converged = residual <= tol or np.linalg.norm(gradient) <= objective.gradient_noise(theta)
    return Solution(theta, point.value, residual, n_iter, bool(converged))


def _pays(base: Objective, objective: Objective) -> bool:
    """Whether a factor for every score saves more than it costs, and takes no more room than the sample."""
    rows, m, k = len(base.features), base.features.width, objective.n_scores
    return k == 1 or (rows * m <= GRAM_COST_RATIO * len(objective.features) and k * m <= rows)


def _steps(
    objective: Objective, theta: np.ndarray, P: Preconditioner, goal: float, max_iter: int, context: Callable
) -> tuple[Iterate, int, float]:
    """L-BFGS from Θ; the point reached, the steps taken, and the residual there."""
    point = Iterate(theta, *objective.value_and_gradient(theta))
    memory, n_iter = _Memory(P), 0
    while True:
        step = -memory.inverse_hessian(point.gradient)
        residual = _residual(point, step)
        if residual <= goal or n_iter >= max_iter:
            break
        with context():
            moved = backtrack(objective, *point, step)
        if moved is None:
            break
        memory.learn(moved[0] - point.theta, moved[2] - point.gradient)
        point = Iterate(*moved)
        n_iter += 1
    return point, n_iter, residual


def _residual(point: Iterate, step: np.ndarray) -> float:
    """√(2 gᵀH⁻¹g / J), where −H⁻¹g is the step."""
    decrement = -float(np.vdot(point.gradient, step))
    return float(np.sqrt(2 * max(decrement, 0.0) / max(point.value, np.finfo(float).tiny)))


class _Memory:
    """Inverse Hessian from P⁻¹ and the last pairs of steps and changes of the gradient [NW06, alg. 7.4]."""

    def __init__(self, P: Preconditioner):
        self.P = P
        self.pairs: list[tuple[np.ndarray, np.ndarray, float]] = []

    def learn(self, step: np.ndarray, change: np.ndarray) -> None:
        """Remember a pair, unless rounding has left no curvature in it."""
        curvature = float(np.vdot(step, change))
        if curvature > 1e-10 * np.linalg.norm(step) * np.linalg.norm(change):
            self.pairs = [*self.pairs[1 - MEMORY :], (step, change, curvature)]

    def inverse_hessian(self, G: np.ndarray) -> np.ndarray:
        """H⁻¹G."""
        G, shares = G.copy(), []
        for step, change, curvature in reversed(self.pairs):
            shares.append(float(np.vdot(step, G)) / curvature)
            G -= shares[-1] * change
        out = self.P.solve(G)
        for (step, change, curvature), share in zip(self.pairs, reversed(shares), strict=True):
            out += (share - float(np.vdot(change, out)) / curvature) * step
        return out
