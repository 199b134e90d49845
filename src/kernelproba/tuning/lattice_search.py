"""A search over two logarithmic parameters that goes from coarse to fine and has no border of its own.

A point (g, c) stands for gamma = γ₀ 2^(g/2) and C = C₀ 10^(c/4).  From a start the search walks along an axis
while the loss falls, tries the other axis, and halves its step when no neighbour is better.  So it ends at a
point whose neighbours on all sides were tried and found worse; only the limits of the lattice, far out, can
stop it before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Point = tuple[int, int]

#: Steps (g, c) of the stages: factors 4 and 10, then 2 and √10.
STEPS: tuple[Point, ...] = ((4, 4), (2, 2))
#: Largest |g| and |c|: factors of 1024 and of 10⁶.
LIMITS: Point = (20, 24)
#: Directions of (g, c) in which roughness hardly changes.
DIAGONALS: tuple[Point, ...] = ((-1, 1), (1, -1))
#: Share of the loss that a step must gain.
GAIN = 1e-3


@dataclass
class Lattice:
    """Losses of the points tried so far.

    Parameters
    ----------
    loss : callable
        (g, c) → what is to be least.
    searched : pair of bool
        Whether gamma and C are searched; one that is not stays at its start.
    """

    loss: Callable[[Point], float]
    searched: tuple[bool, bool] = (True, True)
    tried: dict[Point, float] = field(default_factory=dict)

    def at(self, point: Point) -> float:
        """Loss of a point, computed once."""
        if point not in self.tried:
            self.tried[point] = self.loss(point)
        return self.tried[point]

    def descend(self, start: Point, steps: Sequence[Point] = STEPS) -> Point:
        """Walk from `start` to a point that is better than its neighbours one step of the last size away.

        The diagonals along which the function hardly changes, a wider kernel with a larger C, are tried last,
        if there was more than one step size.
        """
        best = start
        self.at(best)
        for step in steps:
            best = self._settle(best, step, self._axes())
        if len(steps) > 1 and all(self.searched):
            best = self._settle(best, steps[-1], [*DIAGONALS, *self._axes()])
        return best

    def _settle(self, best: Point, step: Point, directions: Sequence[Point]) -> Point:
        """Walk along the directions until no step helps."""
        while True:
            before = best
            for g, c in directions:
                best = self._walk(best, (g * step[0], c * step[1]))
            if best == before:
                return best

    def _walk(self, best: Point, step: Point) -> Point:
        """Step on while it pays."""
        while True:
            ahead = best[0] + step[0], best[1] + step[1]
            if not within_limits(ahead) or self.at(best) - self.at(ahead) <= GAIN * abs(self.at(best)):
                return best
            best = ahead

    def ends_at(self, point: Point) -> bool:
        """Whether the lattice ends beside the point along gamma, so that better points may lie beyond.

        Along C nothing does: below 10⁻⁵ every model is its intercepts, and beyond 10⁷ only rows that are
        separable want more of it, which makes their scores larger and nothing else: the temperature's task.
        """
        return self.searched[0] and abs(point[0]) + STEPS[-1][0] > LIMITS[0]

    def _axes(self) -> list[Point]:
        """C first, which costs no new kernel matrix."""
        gamma, C = self.searched
        return [*([(0, 1), (0, -1)] if C else []), *([(-1, 0), (1, 0)] if gamma else [])]


def within_limits(point: Point) -> bool:
    """Whether the lattice has the point."""
    return abs(point[0]) <= LIMITS[0] and abs(point[1]) <= LIMITS[1]
