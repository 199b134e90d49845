"""
Newton's method with preconditioned conjugate-gradient steps, for smooth convex objectives.

Solves ``min J(Θ)`` from J, ∇J and Hessian products alone.  Each is one pass over the rows, so memory
beyond the preconditioner is O(size of Θ) whatever holds the data.
"""

from functools import partial

import numpy as np

from ..objective import Objective
from .conjugate_gradient import conjugate_gradient
from .line_search import backtrack
from .preconditioner import Preconditioner
from .solution import Residual, Solution

INNER_ITERATIONS = 200


def newton_cg(objective: Objective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """
    Minimise a smooth convex objective [NW06, alg. 7.1]; stop once the residual is ≤ tol.

    The preconditioner is Böhning's bound at first and the curvature at hand from the second refresh on:
    far from the optimum a bound is as good as anything, near it the true weights save most iterations.
    """
    residual = Residual(objective, tol)
    theta, n_iter = start, 0
    value, gradient = objective.value_and_gradient(theta)
    first = np.linalg.norm(gradient)
    preconditioner = Preconditioner.from_bound(objective)
    while not residual.met(theta, gradient) and n_iter < max_iter:
        state = objective.curvature(theta)
        if n_iter in (3, 6, 10):
            preconditioner = Preconditioner.from_state(objective, state)
        # Far from the optimum an exact step is wasted: solving H p = −g to a relative error of
        # √(‖g‖/‖g₀‖) still converges superlinearly [NW06, thm 7.2].
        rtol = min(0.25, np.sqrt(np.linalg.norm(gradient) / first))
        step = conjugate_gradient(
            partial(objective.hessian_product, state),
            -gradient,
            rtol=rtol,
            max_iter=INNER_ITERATIONS,
            precondition=preconditioner.solve,
        )
        moved = backtrack(objective, theta, value, gradient, step)
        if moved is None:
            break
        theta, value, gradient = moved
        n_iter += 1
    return residual.solution(theta, value, gradient, n_iter)
