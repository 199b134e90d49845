"""Limited-memory BFGS, in coordinates in which Böhning's bound of the Hessian is the identity."""

import numpy as np
from scipy.optimize import minimize

from ..objective import Objective
from .preconditioner import Preconditioner
from .solution import Residual, Solution


def lbfgs(objective: Objective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """
    Minimise a smooth convex objective with SciPy's L-BFGS-B; stop once the residual is ≤ tol.

    V = RᵀΘ with R Rᵀ = M, the bound: all eigenvalues of the Hessian in V are at most one, so the first
    steps need no scaling.  The stopping rule is ours, on the gradient in Θ, checked after every iteration.
    """
    residual = Residual(objective, tol)
    M = Preconditioner.from_bound(objective)
    last: dict[bytes, tuple[float, np.ndarray]] = {}

    def fun(v):
        theta = M.unwhiten(v.reshape(start.shape))
        value, gradient = objective.value_and_gradient(theta)
        last.clear()
        last[v.tobytes()] = (value, gradient)
        return value, M.whiten(gradient).ravel()

    def stop(intermediate_result):
        v = intermediate_result.x
        _, gradient = last.get(v.tobytes()) or objective.value_and_gradient(
            M.unwhiten(v.reshape(start.shape))
        )
        if residual.met(M.unwhiten(v.reshape(start.shape)), gradient):
            raise StopIteration

    options = {
        "maxiter": max_iter,
        "maxcor": 20,
        "maxfun": 20 * max_iter,
        "ftol": 0.0,
        "gtol": 0.0,
        "maxls": 50,
    }
    result = minimize(
        fun, M.color(start).ravel(), jac=True, method="L-BFGS-B", callback=stop, options=options
    )
    theta = M.unwhiten(result.x.reshape(start.shape))
    value, gradient = objective.value_and_gradient(theta)
    return residual.solution(theta, value, gradient, int(result.nit))
