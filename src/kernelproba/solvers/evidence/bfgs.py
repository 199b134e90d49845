"""BFGS with a dense inverse Hessian, for cheap functions of few parameters: bookkeeping would cost more."""

from collections.abc import Callable

import numpy as np

from kernelproba.solvers.line_search import SUFFICIENT, halvings

SHORTEST, LONGEST = 2.0**-10, 3.0


def bfgs(
    value_and_gradient: Callable[[np.ndarray], tuple[float, np.ndarray]],
    start: np.ndarray,
    *,
    ftol: float,
    gtol: float,
    curvature: float = 1.0,
    max_iter: int = 100,
) -> np.ndarray:
    """Minimise a smooth function from `start` [NW06, alg. 6.1], each step at most LONGEST in any parameter.

    Parameters
    ----------
    value_and_gradient : callable
        x (p,) → f(x), ∇f(x).
    start : array of shape (p,)
        x.
    ftol, gtol : float
        Stop once two steps in a row lower f by no more than ftol, or max|∇f| is no more than gtol.
    curvature : float
        First guess at the curvature in every direction.
    max_iter : int
        Most steps.
    """
    x, inverse, small = start, np.eye(len(start)) / curvature, 0
    value, gradient = value_and_gradient(x)
    for _ in range(max_iter):
        if np.abs(gradient).max(initial=0.0) <= gtol:
            break
        step = -inverse @ gradient
        step *= min(1.0, LONGEST / np.abs(step).max())
        found = _search(value_and_gradient, x, value, step, float(gradient @ step))
        if found is None:
            break
        moved, lower, slope = found
        inverse = _updated(inverse, moved - x, slope - gradient)
        small = small + 1 if value - lower <= ftol else 0
        x, value, gradient = moved, lower, slope
        if small == 2:
            break
    return x


def _search(value_and_gradient, x: np.ndarray, value: float, step: np.ndarray, slope: float):
    """Halve the step until it lowers f by a share of what the slope promises; None if that never happens."""
    for t in halvings(SHORTEST):
        trial, gradient = value_and_gradient(x + t * step)
        if trial <= value + SUFFICIENT * t * slope:
            return x + t * step, trial, gradient
    return None


def _updated(inverse: np.ndarray, s: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Inverse Hessian that maps the change y of the gradient to the step s; as it was if f bends down."""
    curvature = float(s @ y)
    if curvature <= 1e-10 * float(s @ s) ** 0.5 * float(y @ y) ** 0.5:
        return inverse
    Hy = inverse @ y
    outer = np.outer(s, Hy)
    return inverse + np.outer(s, s) * ((1 + y @ Hy / curvature) / curvature) - (outer + outer.T) / curvature
