"""A search over two logarithmic parameters that goes from coarse to fine and has no border of its own.

A point (g, c) stands for gamma = γ₀ 2^(g/2) and C = 10^(c/4).  From a start the search walks along an axis
while the loss falls, tries the other axis, and halves its step when no neighbour is better.  So it ends at a
point whose neighbours on all sides were tried and found worse; only the limits of the lattice, far out, can
stop it before.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

Point = tuple[int, int]

#: Steps (g, c) of the stages: factors 4 and 10, then 2 and √10.
STEPS: tuple[Point, ...] = ((4, 4), (2, 2))
#: Largest |g| and |c|: gamma from γ₀/1024 to 1024 γ₀, C from 10⁻⁶ to 10⁶.
LIMITS: Point = (20, 24)
#: Gain in loss that is worth a step.
GAIN = 1e-5


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

    def descend(self, start: Point, steps: Iterable[Point] = STEPS) -> Point:
        """Walk from `start` to a point that is better than its neighbours one step of the last size away."""
        best = start
        self.at(best)
        for step in steps:
            best = self._settle(best, step)
        return best

    def _settle(self, best: Point, step: Point) -> Point:
        """Walk along axes, and the diagonals of equal roughness, until no step helps."""
        while True:
            before = best
            for direction in self._directions():
                best = self._walk(best, (direction[0] * step[0], direction[1] * step[1]))
            if best == before:
                return best

    def _walk(self, best: Point, step: Point) -> Point:
        """Step on while it pays."""
        while True:
            ahead = best[0] + step[0], best[1] + step[1]
            if not within_limits(ahead) or self.at(ahead) >= self.at(best) - GAIN:
                return best
            best = ahead

    def _directions(self) -> list[Point]:
        """C first, which costs no new kernel matrix; wider with a larger C is much the same function."""
        gamma, C = self.searched
        along_C = [(0, 1), (0, -1)] if C else []
        along_gamma = [(-1, 0), (1, 0)] if gamma else []
        across = [(-1, 1), (1, -1)] if gamma and C else []
        return along_C + along_gamma + across


def within_limits(point: Point) -> bool:
    """Whether the lattice has the point."""
    return abs(point[0]) <= LIMITS[0] and abs(point[1]) <= LIMITS[1]


def at_limit(point: Point, searched: tuple[bool, bool]) -> bool:
    """Whether the lattice ends beside the point, along a parameter that was searched."""
    step = STEPS[-1]
    return any(searched[axis] and abs(point[axis]) + step[axis] > LIMITS[axis] for axis in range(2))
