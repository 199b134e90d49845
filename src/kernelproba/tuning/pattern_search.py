"""A search over two logarithmic parameters that goes from coarse to fine and has no border of its own.

A point (g, c) stands for gamma = γ₀ 2^(g/2) and C = C₀ 10^(c/4).  From a start the search walks along an axis
while the loss falls, tries the other axis, and halves its step when no neighbour is better.  So it ends at a
point whose neighbours on all sides are worse, or would be by what is known of them; only the limits of the
lattice, far out, can stop it before.

What is known of a step that has not been tried: its rise in an earlier stage, on fewer rows; half a step
between three points of a line, by the parabola through them; and the rise of a parallel step.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

Point = tuple[int, int]

#: Steps (g, c) of the stages: factors 4 and 10, then 2 and √10.
STEPS: tuple[Point, ...] = ((4, 4), (2, 2))
#: Largest |g| and |c|: factors of 1024 and of 10⁶.
LIMITS: Point = (20, 24)
#: Directions of (g, c) in which roughness hardly changes.
DIAGONALS: tuple[Point, ...] = ((-1, 1), (1, -1))
#: Share of the loss that a step must gain.
GAIN = 1e-3
#: Stands for a loss that is no number: a walk must be able to leave it, and not to come back.
WORST_LOSS = 1e100
#: Share of the loss that a step is expected to lose at least to be left untried: by an earlier stage, by a
#: parabola, and by a parallel step.
SCOUTED_RISE, PARABOLIC_RISE, PARALLEL_RISE = 0.03, 0.01, 0.1


@dataclass
class Lattice:
    """Losses of the points tried so far.

    Parameters
    ----------
    loss : callable
        (g, c) → what is to be least.
    searched : pair of bool
        Whether gamma and C are searched; one that is not stays at its start.
    scouted : callable
        (g, c) → loss in an earlier stage, None where that has not been.
    """

    loss: Callable[[Point], float]
    searched: tuple[bool, bool] = (True, True)
    scouted: Callable[[Point], float | None] = lambda _: None
    tried: dict[Point, float] = field(default_factory=dict)

    def at(self, point: Point) -> float:
        """Loss of a point, computed once."""
        if point not in self.tried:
            loss = self.loss(point)
            self.tried[point] = loss if math.isfinite(loss) else WORST_LOSS
        return self.tried[point]

    def descend(self, start: Point) -> Point:
        """Walk from `start` to a point that is better than its neighbours one small step away.

        The diagonals along which the function hardly changes, a wider kernel with a larger C, are tried last.
        """
        best = start
        self.at(best)
        for step in STEPS:
            best = self._settle(best, step, self._axes())
        if all(self.searched):
            best = self._settle(best, STEPS[-1], [*DIAGONALS, *self._axes()])
        return best

    def refine(self, start: Point) -> Point:
        """Walk from a point that is good already, once along each axis, by small steps."""
        self.at(start)
        return self._sweep(start, STEPS[-1], self._axes())

    def _settle(self, best: Point, step: Point, directions: Sequence[Point]) -> Point:
        """Walk along the directions until no step helps."""
        while (ahead := self._sweep(best, step, directions)) != best:
            best = ahead
        return best

    def _sweep(self, best: Point, step: Point, directions: Sequence[Point]) -> Point:
        """Walk along each direction in turn."""
        for g, c in directions:
            best = self._walk(best, (g * step[0], c * step[1]))
        return best

    def _walk(self, best: Point, step: Point) -> Point:
        """Step on while it pays."""
        while within_limits(ahead := moved(best, step)) and not self._is_hopeless(best, step):
            if self.at(best) - self.at(ahead) <= GAIN * abs(self.at(best)):
                break
            best = ahead
        return best

    def _is_hopeless(self, best: Point, step: Point) -> bool:
        """Whether a step that has not been tried is known to lose."""
        if moved(best, step) in self.tried:
            return False
        known = ((rise, most) for rise, most in self._expected_rises(best, step) if rise is not None)
        return any(rise > most for rise, most in islice(known, 1))

    def _expected_rises(self, best: Point, step: Point) -> Iterator[tuple[float | None, float]]:
        """What is known of a step, the surest first, and the rise from which on it is hopeless."""
        yield _rise(self.scouted(best), self.scouted(moved(best, step))), SCOUTED_RISE
        aside = (step[1], step[0]) if 0 in step else (0, 0)
        beside = [moved(best, aside, side) for side in (-1, 1) if aside != (0, 0)]
        for point in (best, *beside):
            yield self._parabolic_rise(point, step), PARABOLIC_RISE
        for point in beside:
            yield self._tried_rise(point, step), PARALLEL_RISE

    def _tried_rise(self, point: Point, step: Point) -> float | None:
        return _rise(self.tried.get(point), self.tried.get(moved(point, step)))

    def _parabolic_rise(self, point: Point, step: Point) -> float | None:
        """Rise of a step that is half the way to a point that was tried, as was its opposite.

        With rises u and v of two steps to either side, that of one step ahead is (3u − v)/8.
        """
        ahead, behind = (_rise(self.tried.get(point), self.tried.get(moved(point, step, t))) for t in (2, -2))
        return None if ahead is None or behind is None else (3 * ahead - behind) / 8

    def _axes(self) -> list[Point]:
        """C first, which costs no new kernel matrix."""
        gamma, C = self.searched
        return [*([(0, 1), (0, -1)] if C else []), *([(-1, 0), (1, 0)] if gamma else [])]


def moved(point: Point, step: Point, times: int = 1) -> Point:
    """The point some steps on."""
    return point[0] + times * step[0], point[1] + times * step[1]


def _rise(here: float | None, there: float | None) -> float | None:
    """Relative rise of the loss from one point to another, None if unknown or relative to nothing."""
    return None if not here or there is None else (there - here) / abs(here)


def within_limits(point: Point) -> bool:
    """Whether the lattice has the point."""
    return abs(point[0]) <= LIMITS[0] and abs(point[1]) <= LIMITS[1]


def is_outermost(point: Point) -> bool:
    """Whether the lattice ends beside the point along gamma, so that better points may lie beyond.

    Along C nothing does: below 10⁻⁵ every model is its intercepts, and beyond 10⁷ only rows that are
    separable want more of it, which makes their scores larger and nothing else: the temperature's task.
    """
    return abs(point[0]) + STEPS[-1][0] > LIMITS[0]
