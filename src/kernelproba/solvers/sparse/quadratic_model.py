"""The step to the minimum of the second-order model of the loss plus the penalty itself.

    min_D  ½ ⟨D, H D⟩ + ⟨∇ℓ, D⟩ + pen(W + D)

*Lasso*: while it is small the model is solved as one quadratic with absolute values, exactly.  Beyond that
the scores take turns: each block of H, one score and the features that come into question for it, is solved
exactly with the steps of the others held fixed.  Two rounds of turns do; the Newton step on the support that
follows sees to the rest.  *Group lasso*: one curvature per row of the data serves all scores while there are
few rows; beyond that accelerated gradients have all the curvature, and go only part of the way.
"""

from typing import TYPE_CHECKING

import numpy as np

from kernelproba.solvers.sparse.group_accelerated import accelerated_model
from kernelproba.solvers.sparse.group_quadratic import group_quadratic
from kernelproba.solvers.sparse.group_system import GroupCurvature
from kernelproba.solvers.sparse.lasso_quadratic import lasso_quadratic
from kernelproba.solvers.sparse.newton_system import Block, damped, hessian_block

if TYPE_CHECKING:
    from kernelproba.solvers.sparse.proximal_newton import Point

#: Entries up to which the model of a lasso is solved as one.
JOINT_SIZE = 600
#: Accelerated steps towards the minimum of the model of a group lasso.
MODEL_STEPS = 30
#: Kernel values beyond which they are taken instead of sweeps.
ACCELERATED_VALUES = 100_000
#: How often each score has its turn.
TURNS = 2
#: Features outside the support that come into question: at least so many, and so many times the support.
LEAST_CANDIDATES, MORE_CANDIDATES = 30, 1.5


def model_step(point: "Point") -> tuple[np.ndarray, bool]:
    """Step, of the shape of Θ, to the minimum of the model, and whether that has all the curvature."""
    step = np.zeros_like(point.theta)
    state = point.objective.smooth.loss.curvature(point.scores)
    if point.objective.penalty.is_grouped:
        _fill_group(point, state, step)
        return step, False
    slope, W = np.abs(point.slope[: point.m]), point.theta[: point.m]
    rows = [_candidates(point, slope[:, k], W[:, k] != 0) for k in range(W.shape[1])]
    joint = sum(map(len, rows)) <= JOINT_SIZE
    fill = _fill_jointly if joint else _fill_in_turns
    fill(point, state, rows, step)
    return step, joint


def _fill_jointly(point: "Point", state: np.ndarray, rows: list[np.ndarray], step: np.ndarray) -> None:
    """Minimise over the entries of all scores at once."""
    at = np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(r) for r in rows])
    Q = damped(hessian_block(point.objective.smooth, state, list(enumerate(rows))))
    step[at] = _solve(point, Q, at, point.gradient[at], point.theta[at])


def _fill_in_turns(point: "Point", state: np.ndarray, rows: list[np.ndarray], step: np.ndarray) -> None:
    """Minimise over the entries of one score after the other."""
    smooth, loss = point.objective.smooth, point.objective.smooth.loss
    diagonal = [loss.curvature_block(state, k, k) for k in range(len(rows))]
    blocks = [
        Block(smooth, r, slice(k, k + 1), smooth.weights * diagonal[k], point.matters[:, k : k + 1])
        for k, r in enumerate(rows)
    ]
    for block in blocks:
        damped(block.gram)
    F = np.zeros_like(state)  # what the step does to the scores
    for _ in range(TURNS):
        for k, block in enumerate(blocks):
            at, data = (block.rows, k), block.data
            # ∇ℓ + H D without the block's own part: that is in Q
            bent = loss.curvature_product(state[data], F[data])[:, k] - diagonal[k][data] * F[data, k]
            linear = point.gradient[at] + block.Phi.T @ (smooth.weights[data] * bent)
            step[at] = _solve(point, block.gram, at, linear, point.theta[at] + step[at])
            F[data, k] = block.Phi @ step[at]


def _solve(point: "Point", Q: np.ndarray, at: tuple, linear: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Minimise ½ dᵀQd + linearᵀd + ‖w + d‖₁ over the entries `at` of Θ, from w + d = start."""
    w, strength = point.theta[at], (at[0] < point.m) * 1.0
    return lasso_quadratic(Q, linear - Q @ w, strength, start, tol=0.1 * point.residual) - w


def _fill_group(point: "Point", state: np.ndarray, step: np.ndarray) -> None:
    """Minimise over whole rows of Θ."""
    smooth, penalty = point.objective.smooth, point.objective.penalty
    rows = _candidates(
        point, penalty.dual_norm(point.slope[: point.m]), np.any(point.theta[: point.m], axis=1)
    )
    X, strength, gradient = point.theta[rows], (rows < point.m) * 1.0, point.gradient[rows]
    if len(rows) * len(state) > ACCELERATED_VALUES:
        curvature = GroupCurvature(smooth, rows, state)
        step[rows] = accelerated_model(curvature, gradient, strength, X, MODEL_STEPS) - X
        return
    weights = smooth.weights * smooth.loss.curvature_weight(state)
    Q = damped(Block(smooth, rows, slice(None), weights, point.matters).gram)
    step[rows] = group_quadratic(Q, gradient - Q @ X, strength, X, tol=0.1 * point.residual) - X


def _candidates(point: "Point", slope: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Rows of Θ that come into question: the support, the steepest others, and the intercept."""
    outside = np.where(support, 0.0, slope)
    count = min(len(slope), max(LEAST_CANDIDATES, int(MORE_CANDIDATES * support.sum())))
    cut = np.sort(outside)[-count] if count else 0.0
    chosen = support | ((outside > 0) & (outside >= cut))
    return np.flatnonzero(np.append(chosen, np.ones(len(point.theta) - point.m, dtype=bool)))
