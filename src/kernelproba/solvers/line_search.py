"""Backtracking along a descent direction of a smooth convex objective."""

from collections.abc import Callable

import numpy as np

from kernelproba.objective import Objective

SUFFICIENT = 1e-4
SHORTEST = 2.0**-30


def step_length(along: Callable[[float], tuple[float, float]], value: float, slope: float) -> float | None:
    """Halve t from 1 until J falls enough (Armijo); None if it never does.

    Near the optimum J moves by less than its own rounding and the test on values turns into a coin toss.
    There the slope decides: J is convex, so a step whose end still points downhill, or not steeply uphill,
    cannot have raised J by more than rounding.

    Parameters
    ----------
    along : callable
        t → (J, slope of J) at the point t of the way.
    value, slope : float
        Both at t = 0.
    """
    if not slope < 0:
        return None
    rounding = 8 * np.finfo(float).eps * abs(value)
    t = 1.0
    while t >= SHORTEST:
        new_value, new_slope = along(t)
        if new_value <= value + SUFFICIENT * t * slope:
            return t
        if new_value <= value + rounding and new_slope <= -0.5 * slope:
            return t
        t /= 2
    return None


def backtrack(
    objective: Objective, theta: np.ndarray, value: float, gradient: np.ndarray, step: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """Move along the step; return (Θ, J, ∇J) there, or None if J does not fall."""
    reached = theta, value, gradient

    def along(t):
        nonlocal reached
        moved = theta + t * step
        reached = moved, *objective.value_and_gradient(moved)
        return reached[1], float(np.vdot(reached[2], step))

    return reached if step_length(along, value, float(np.vdot(gradient, step))) else None
