"""
Newton–Raphson with the full block Hessian, for few coefficients (corona2016, eq. 20).

Each iteration forms ∇²J at O(n q² k²/2) and factorises it at O(q³k³/3), where Θ is (q, k).
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky

from ..objective import Objective
from .line_search import backtrack
from .solution import Residual, Solution


def newton_cholesky(objective: Objective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """Minimise a smooth convex objective by Newton steps; stop once the residual is ≤ tol."""
    residual = Residual(objective, tol)
    theta, n_iter = start, 0
    value, gradient = objective.value_and_gradient(theta)
    while not residual.met(theta, gradient) and n_iter < max_iter:
        H = objective.hessian(objective.curvature(theta))
        step = -solve_semidefinite(H, gradient.T.ravel()).reshape(theta.T.shape).T
        moved = backtrack(objective, theta, value, gradient, step)
        if moved is None:
            break
        theta, value, gradient = moved
        n_iter += 1
    return residual.solution(theta, value, gradient, n_iter)


def solve_semidefinite(H: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """
    Solve H x = rhs for a positive semi-definite H and rhs in its range.

    The softmax Hessian is singular along shifts of all scores; a ridge at rounding level, grown only if
    needed, picks a solution without moving it.
    """
    size = max(float(np.trace(H)) / len(H), np.finfo(float).tiny)
    jitter = len(H) * np.finfo(float).eps * size
    while True:
        try:
            factor = cholesky(H + jitter * np.eye(len(H)), lower=True, overwrite_a=True)
        except LinAlgError:
            jitter *= 100
            continue
        return cho_solve((factor, True), rhs)
