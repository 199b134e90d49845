"""A search over two logarithmic parameters that goes from coarse to fine and has no border of its own.

A point (g, c) stands for gamma = γ₀ 2^(g/2) and C = C₀ 10^(c/4).  From a start the search walks along an axis
while the loss falls, tries the other axis, and halves its step when no neighbour is better.  So it ends at a
point whose neighbours on all sides are worse, or would be by what is known of them; only the limits of the
lattice, far out, can stop it before.

What is known of a step that has not been tried: its rise in an earlier stage, on fewer rows; half a step
between three points of a line, there or here, by the parabola through them; and the rise of a parallel step.

The search is a generator that asks for losses and calls nothing, so that a traceback of a fit does not lead
through it:

    for point in search.descend(start):
        search.record(point, loss(point))
    search.best
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import isfinite

LatticePoint = tuple[int, int]
#: Yields points whose losses are to be recorded, and returns the best one.
Walk = Generator[LatticePoint, None, LatticePoint]

#: Steps (g, c) of the stages: factors 4 and 10, then 2 and √10.
STEPS: tuple[LatticePoint, ...] = ((4, 4), (2, 2))
#: Largest |g| and |c|: factors of 1024 and of 10⁶.
LIMITS: LatticePoint = (20, 24)
#: Directions of (g, c) in which roughness hardly changes.
DIAGONALS: tuple[LatticePoint, ...] = ((-1, 1), (1, -1))
#: Share of the loss that a step must gain, if nothing else is said.
GAIN = 1e-3
#: Share of the loss that a step is expected to lose at least to be left untried: by an earlier stage, by a
#: parabola, and by a parallel step.
SCREENED_RISE, PARABOLIC_RISE, PARALLEL_RISE = 0.015, 0.005, 0.05


@dataclass
class PatternSearch:
    """Losses of the points tried so far, and where to go from there.

    Parameters
    ----------
    searched : pair of bool
        Whether gamma and C are searched; one that is not stays at its start.
    screened : callable
        (g, c) → loss in an earlier stage, None where that has not been.
    gain : float, default=0.001
        Share of the loss that a step must gain.
    tried : dict
        (g, c) → loss, of points that need not be tried again.
    """

    searched: tuple[bool, bool] = (True, True)
    screened: Callable[[LatticePoint], float | None] = lambda _: None
    gain: float = GAIN
    tried: dict[LatticePoint, float] = field(default_factory=dict)
    _end: LatticePoint | None = field(default=None, init=False)

    def record(self, point: LatticePoint, loss: float) -> None:
        """Take in the loss of a point that was asked for; what is not finite is worse than anything."""
        self.tried[point] = loss if isfinite(loss) else float("inf")

    @property
    def best(self) -> LatticePoint:
        """Where the walk has ended, or the best of its points if it was left before."""
        return min(self.tried, key=self.tried.__getitem__) if self._end is None else self._end

    def descend(self, start: LatticePoint, *, fine: bool = True) -> Iterator[LatticePoint]:
        """Walk from `start` to a point that is better than its neighbours one small step away.

        The diagonals along which the function hardly changes, a wider kernel with a larger C, are tried last.

        Parameters
        ----------
        start : (g, c)
            Where to begin.
        fine : bool, default=True
            Whether small steps are taken at all, and those along the diagonals.
        """
        best = start
        yield from self._at(best)
        for step in STEPS if fine else STEPS[:1]:
            best = yield from self._settle(best, step, self._axes())
        if fine and all(self.searched):
            best = yield from self._settle(best, STEPS[-1], [*DIAGONALS, *self._axes()])
        self._end = best

    def refine(self, start: LatticePoint, without: Sequence[LatticePoint] = ()) -> Iterator[LatticePoint]:
        """Walk from a point that is good already, once along each axis, by small steps.

        Parameters
        ----------
        start : (g, c)
            The point.
        without : sequence of (g, c)
            Directions that are known not to help.
        """
        yield from self._at(start)
        axes = [axis for axis in self._axes() if axis not in without]
        self._end = yield from self._sweep(start, STEPS[-1], axes)

    def _at(self, point: LatticePoint) -> Generator[LatticePoint, None, float]:
        """Loss of a point, asked for once."""
        if point not in self.tried:
            yield point
        return self.tried[point]

    def _settle(self, best: LatticePoint, step: LatticePoint, directions: Sequence[LatticePoint]) -> Walk:
        """Walk along the directions until no step helps."""
        while (ahead := (yield from self._sweep(best, step, directions))) != best:
            best = ahead
        return best

    def _sweep(self, best: LatticePoint, step: LatticePoint, directions: Sequence[LatticePoint]) -> Walk:
        """Walk along each direction in turn."""
        for g, c in directions:
            best = yield from self._walk(best, (g * step[0], c * step[1]))
        return best

    def _walk(self, best: LatticePoint, step: LatticePoint) -> Walk:
        """Step on while it pays."""
        while within_limits(ahead := moved(best, step)) and not self._is_hopeless(best, step):
            here, there = (yield from self._at(best)), (yield from self._at(ahead))
            if not there < here - self.gain * abs(here if isfinite(here) else 0.0):
                break
            best = ahead
        return best

    def _is_hopeless(self, best: LatticePoint, step: LatticePoint) -> bool:
        """Whether a step that has not been tried is known to lose."""
        if moved(best, step) in self.tried:
            return False
        known = ((rise, most) for rise, most in self._expected_rises(best, step) if rise is not None)
        return any(rise > most for rise, most in islice(known, 1))

    def _expected_rises(self, best: LatticePoint, step: LatticePoint) -> Iterator[tuple[float | None, float]]:
        """What is known of a step, the surest first, and the rise from which on it is hopeless."""
        yield _rise(self.screened(best), self.screened(moved(best, step))), SCREENED_RISE
        yield self._parabolic_rise(best, step, self.screened), SCREENED_RISE
        aside = (step[1], step[0]) if 0 in step else (0, 0)
        beside = [moved(best, aside, side) for side in (-1, 1) if aside != (0, 0)]
        for point in (best, *beside):
            yield self._parabolic_rise(point, step, self.tried.get), PARABOLIC_RISE
        for point in beside:
            yield self._tried_rise(point, step), PARALLEL_RISE

    def _tried_rise(self, point: LatticePoint, step: LatticePoint) -> float | None:
        return _rise(self.tried.get(point), self.tried.get(moved(point, step)))

    def _parabolic_rise(
        self, point: LatticePoint, step: LatticePoint, loss: Callable[[LatticePoint], float | None]
    ) -> float | None:
        """Rise of a step that is half the way to a point with a known loss, as its opposite has.

        With rises u and v of two steps to either side, that of one step ahead is (3u − v)/8.
        """
        ahead, behind = (_rise(loss(point), loss(moved(point, step, t))) for t in (2, -2))
        return None if ahead is None or behind is None else (3 * ahead - behind) / 8

    def _axes(self) -> list[LatticePoint]:
        """C first, which costs no new kernel matrix."""
        gamma, C = self.searched
        return [*([(0, 1), (0, -1)] if C else []), *([(-1, 0), (1, 0)] if gamma else [])]


def moved(point: LatticePoint, step: LatticePoint, times: int = 1) -> LatticePoint:
    """The point some steps on."""
    return point[0] + times * step[0], point[1] + times * step[1]


def _rise(here: float | None, there: float | None) -> float | None:
    """Relative rise of the loss from one point to another, None if unknown or relative to nothing."""
    if here is None or there is None or here == 0 or not (isfinite(here) and isfinite(there)):
        return None
    return (there - here) / abs(here)


def within_limits(point: LatticePoint) -> bool:
    """Whether the lattice has the point."""
    return abs(point[0]) <= LIMITS[0] and abs(point[1]) <= LIMITS[1]


def is_outermost(point: LatticePoint) -> bool:
    """Whether the lattice ends beside the point along gamma, so that better points may lie beyond.

    Along C nothing does: below 10⁻⁵ every model is its intercepts, and beyond 10⁷ only rows that are
    separable want more of it, which makes their scores larger and nothing else: the temperature's task.
    """
    return abs(point[0]) + STEPS[-1][0] > LIMITS[0]
