"""Backtracking along a descent direction of a smooth convex objective."""

import numpy as np

from ..objective import Objective

SUFFICIENT = 1e-4
SHORTEST = 2.0**-30


def backtrack(
    objective: Objective, theta: np.ndarray, value: float, gradient: np.ndarray, step: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """
    Halve the step until J falls enough (Armijo); return (Θ, J, ∇J) there, or None if it never does.

    Near the optimum J moves by less than its own rounding and the test on values turns into a coin toss.
    There the slope decides: J is convex, so a step whose end still points downhill, or not steeply uphill,
    cannot have raised J by more than rounding.
    """
    slope = float(np.vdot(gradient, step))
    if not slope < 0:
        return None
    rounding = 8 * np.finfo(float).eps * abs(value)
    t = 1.0
    while t >= SHORTEST:
        moved = theta + t * step
        new_value, new_gradient = objective.value_and_gradient(moved)
        if new_value <= value + SUFFICIENT * t * slope:
            return moved, new_value, new_gradient
        if new_value <= value + rounding and np.vdot(new_gradient, step) <= -0.5 * slope:
            return moved, new_value, new_gradient
        t /= 2
    return None
