"""Newton's method with conjugate-gradient steps, for smooth convex objectives.

Solves ``min J(Θ)`` from J, ∇J and Hessian products alone.  Each is one pass over the rows, so memory is
O(size of Θ) whatever holds the data.
"""

from functools import partial

import numpy as np

from kernelproba.objective import Objective
from kernelproba.solvers.conjugate_gradient import conjugate_gradient
from kernelproba.solvers.line_search import backtrack
from kernelproba.solvers.solution import Residual, Solution

INNER_ITERATIONS = 300


def newton_cg(objective: Objective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """Minimise a smooth convex objective [NW06, alg. 7.1]; stop once the residual is ≤ tol.

    In whitened features the ridge bounds the eigenvalues of the Hessian from below by one and a kernel's
    fast decaying spectrum leaves few above it, which is where conjugate gradients shine: preconditioners
    built from the Gram matrix or its bound cost more than they saved (docs/adr/0002).
    """
    residual = Residual(objective, tol)
    theta, n_iter = start, 0
    value, gradient = objective.value_and_gradient(theta)
    first = np.linalg.norm(gradient)
    while not residual.met(theta, gradient) and n_iter < max_iter:
        # Far from the optimum an exact step is wasted: solving H p = −g to a relative error of
        # √(‖g‖/‖g₀‖) still converges superlinearly [NW06, thm 7.2].
        rtol = min(0.25, float(np.sqrt(np.linalg.norm(gradient) / first)))
        product = partial(objective.hessian_product, objective.curvature(theta))
        step = conjugate_gradient(product, -gradient, rtol=rtol, max_iter=INNER_ITERATIONS)
        moved = backtrack(objective, theta, value, gradient, step)
        if moved is None:
            break
        theta, value, gradient = moved
        n_iter += 1
    return residual.solution(theta, value, gradient, n_iter)
