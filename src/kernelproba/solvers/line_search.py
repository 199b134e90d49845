"""Backtracking along a descent direction."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kernelproba.objective import Objective

#: Share of the fall that the slope promises which a step must bring.
SUFFICIENT = 1e-4
SHORTEST = 2.0**-30


def halvings(shortest: float = SHORTEST) -> Iterator[float]:
    """Yield the lengths 1, ½, ¼, … of a step, none below `shortest`."""
    t = 1.0
    while t >= shortest:
        yield t
        t /= 2


class Armijo(NamedTuple):
    """Armijo's rule for steps along a line that starts with this value and slope of a smooth convex J.

    Near the optimum J moves by less than its own rounding and the test on values turns into a coin toss.
    There the slope decides: J is convex, so a step whose end still points downhill, or not steeply uphill,
    cannot have raised J by more than rounding.
    """

    value: float
    slope: float

    def lengths(self) -> Iterator[float]:
        """Lengths to try in turn; none if the line does not lead downhill."""
        return halvings() if self.slope < 0 else iter(())

    def accepts(self, t: float, value: float, slope: float) -> bool:
        """Whether J falls enough at the point t of the way, where it has this value and slope."""
        rounding = 8 * np.finfo(float).eps * abs(self.value)
        falls = value <= self.value + SUFFICIENT * t * self.slope
        return bool(falls or (value <= self.value + rounding and slope <= -0.5 * self.slope))


def backtrack(
    objective: Objective, theta: np.ndarray, value: float, gradient: np.ndarray, step: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """Halve the step until J falls enough; return (Θ, J, ∇J) there, or None if it never does."""
    armijo = Armijo(value, float(np.vdot(gradient, step)))
    for t in armijo.lengths():
        moved = theta + t * step
        new_value, new_gradient = objective.value_and_gradient(moved)
        if armijo.accepts(t, new_value, float(np.vdot(new_gradient, step))):
            return moved, new_value, new_gradient
    return None
