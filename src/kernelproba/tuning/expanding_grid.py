"""A grid of two parameters that goes on where its best point is at its border.

All points of the grid are scored.  If the best one is at an end of an axis, the next value beyond is tried,
and so on from there: the walk ends at a point whose neighbours on all sides were tried, and none of them was
better by more than a thousandth.  Only the limits of an axis, far out, can stop it before.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from kernelproba.tuning.pattern_search import GAIN

Value = float | None
Point = tuple[Value, float]


class Axis:
    """Values of a parameter.

    Parameters
    ----------
    values : sequence of float, or [None]
        To begin with; None stands for a parameter that there is not.
    factor : float, default=1.0
        From the last value to the next one beyond, in both directions.
    limits : pair of float, optional
        The least and the largest value to try; without limits the axis stays as it is.
    """

    def __init__(
        self, values: Sequence[Value], factor: float = 1.0, limits: tuple[float, float] | None = None
    ):
        self.values: list[Any] = sorted(set(values), key=lambda value: value or 0.0)
        self.factor, self.limits = factor, limits

    def beside(self, value: Value) -> list[Any]:
        """The next values on both sides, new ones at the ends while the limits allow it."""
        self.values = sorted({*self.values, *self._beyond(value)}, key=lambda each: each or 0.0)
        i = self.values.index(value)
        return [*self.values[max(i - 1, 0) : i], *self.values[i + 1 : i + 2]]

    def stops_at(self, value: Value) -> bool:
        """Whether the limits have kept a walk from going on beside the value."""
        if self.limits is None or value is None:
            return False
        low, high = self.limits
        return value / self.factor < low or value * self.factor > high

    def _beyond(self, value: Value) -> list[float]:
        """Values that an end of the axis has next to it."""
        if self.limits is None or value is None:
            return []
        low, high = self.limits
        ends = [(0, value / self.factor), (-1, value * self.factor)]
        new = [ahead for end, ahead in ends if value == self.values[end] and low <= ahead <= high]
        return [float(f"{ahead:.12g}") for ahead in new]  # 1e-07, not 9.999999999999999e-08


class OpenGrid:
    """Scores of points (gamma, alpha).

    Parameters
    ----------
    score : callable
        (gammas, alphas) → scores of all pairs (g, a), the larger the better.
    gammas, alphas : Axis
        The grid to begin with.

    Attributes
    ----------
    tried : dict
        Scores of all points that were tried, in that order.
    """

    def __init__(
        self, score: Callable[[Sequence[Value], Sequence[float]], np.ndarray], gammas: Axis, alphas: Axis
    ):
        self._score, self.gammas, self.alphas = score, gammas, alphas
        self.tried: dict[Point, float] = {}

    def scan(self) -> Point:
        """The best point of the grid."""
        self._try(self.gammas.values, self.alphas.values)
        return self._smoothest()

    def walk(self, point: Point) -> Point:
        """The best point that can be reached from another, beyond the borders if need be."""
        while True:
            ahead = max(self._neighbours(point), key=self.tried.__getitem__, default=point)
            if self.tried[ahead] - self.tried[point] <= GAIN * abs(self.tried[point]):
                return point
            point = ahead

    def _neighbours(self, point: Point) -> list[Point]:
        """Points next to one along both axes, tried."""
        gamma, alpha = point
        gammas, alphas = self.gammas.beside(gamma), self.alphas.beside(alpha)
        self._try(gammas, [alpha])
        self._try([gamma], alphas)
        return [*product(gammas, [alpha]), *product([gamma], alphas)]

    def _try(self, gammas: Sequence[Value], alphas: Sequence[float]) -> None:
        """Score the pairs that are new."""
        new = [point for point in product(gammas, alphas) if point not in self.tried]
        if new:
            gammas, alphas = (list(dict.fromkeys(values)) for values in zip(*new, strict=True))
            scores = self._score(gammas, alphas)
            self.tried |= zip(product(gammas, alphas), scores.ravel().tolist(), strict=True)

    def _smoothest(self) -> Point:
        """The best point so far; ties up to rounding go to the wider kernel, then to the larger penalty."""
        top = max(self.tried.values())
        best = [point for point, score in self.tried.items() if score >= top - 1e-5 * (1 + abs(top))]
        return min(best, key=lambda point: (point[0] or 0.0, -point[1]))
