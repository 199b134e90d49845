"""Newton's method with conjugate gradients that the curvature of the leading features preconditions.

For whitened features of so many centres that a Gram matrix of all of them, n p² operations, costs more than
the products that it would save: with a weak penalty plain conjugate gradients take hundreds of products with
the features, these take tens.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

import numpy as np

from kernelproba.objective import Objective
from kernelproba.solvers.conjugate_gradient import conjugate_gradient
from kernelproba.solvers.line_search import backtrack
from kernelproba.solvers.smooth.preconditioner import precondition_leading
from kernelproba.solvers.solution import Solution

INNER_ITERATIONS = 300
#: Relative error of a Newton step at most.
STEP_ERROR = 0.25
#: Share of J by which a step may lower it and still leave the curvature much as it was.
SAME_CURVATURE = 0.01


def preconditioned_newton(
    objective: Objective,
    start: np.ndarray,
    *,
    tol: float,
    max_iter: int,
    step: Callable[[], AbstractContextManager] = nullcontext,
) -> Solution:
    """Minimise a smooth convex objective with a ridge; stop once the residual is ≤ tol.

    The residual is √(2 gᵀP⁻¹g / J), as that of `progressive`: J is within about tol² J of its minimum.

    Parameters
    ----------
    objective : Objective
        With whitened features, the most telling first.
    start : array of the shape of Θ
        Where to set out.
    tol, max_iter : float, int
        Bounds on the residual, and on the Newton steps.
    step : callable
        Makes the context of each step.
    """
    theta, n_iter, first, P = start, 0, 0.0, None
    value, gradient = objective.value_and_gradient(theta)
    while True:
        state = objective.curvature(theta)
        P = precondition_leading(objective, state) if P is None else P
        residual = _residual(value, gradient, P.solve(gradient))
        first = first or residual
        if residual <= tol or n_iter >= max_iter:
            break
        with step():
            # As in newton_cg; and no step needs to be more exact than the goal.
            rtol = min(STEP_ERROR, max(0.3 * tol / residual, float(np.sqrt(residual / first))))
            product = partial(objective.hessian_product, state)
            delta = conjugate_gradient(
                product, -gradient, rtol=rtol, max_iter=INNER_ITERATIONS, precondition=P.solve
            )
            moved = backtrack(objective, theta, value, gradient, delta)
        if moved is None:
            break
        if value - moved[1] > SAME_CURVATURE * value:
            P = None
        theta, value, gradient = moved
        n_iter += 1
    converged = residual <= tol or np.linalg.norm(gradient) <= objective.gradient_noise(theta)
    return Solution(theta, value, residual, n_iter, bool(converged))


def _residual(value: float, gradient: np.ndarray, step: np.ndarray) -> float:
    """√(2 gᵀP⁻¹g / J), where P⁻¹g is the step."""
    return float(np.sqrt(2 * max(float(np.vdot(gradient, step)), 0.0) / max(value, np.finfo(float).tiny)))
