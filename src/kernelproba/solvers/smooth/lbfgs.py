"""Limited-memory BFGS by SciPy, the method that sugiyama2010 trained kernel logistic regression with."""

import numpy as np
from scipy.optimize import minimize

from kernelproba.objective import Objective
from kernelproba.solvers.solution import Residual, Solution

MEMORY = 20


def lbfgs(objective: Objective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """Minimise a smooth convex objective with SciPy's L-BFGS-B; stop once the residual is ≤ tol.

    The stopping rule is ours, checked after every iteration; SciPy's own are switched off.
    """
    residual = Residual(objective, tol)
    seen: dict[bytes, np.ndarray] = {}  # the gradient at the last point, for the stopping rule

    def value_and_gradient(v):
        value, gradient = objective.value_and_gradient(v.reshape(start.shape))
        seen.clear()
        seen[v.tobytes()] = gradient
        return value, gradient.ravel()

    def stop(intermediate_result):
        v = intermediate_result.x
        gradient = seen.get(v.tobytes())
        if gradient is not None and residual.met(v.reshape(start.shape), gradient):
            raise StopIteration

    result = minimize(
        value_and_gradient,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=stop,
        options={"maxiter": max_iter, "maxfun": 20 * max_iter, "maxcor": MEMORY, "ftol": 0.0, "gtol": 0.0},
    )
    theta = result.x.reshape(start.shape)
    value, gradient = objective.value_and_gradient(theta)
    return residual.solution(theta, value, gradient, int(result.nit))
