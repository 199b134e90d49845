"""Where to look for gamma, alpha and the scale of the features of a least-squares posterior."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kernelproba.calibration import HeldOutScores
from kernelproba.tuning.expanding_grid import Axis, OpenGrid, Point, Value
from kernelproba.tuning.results import SearchResults
from kernelproba.tuning.scaling import ScaledView

#: Widths of sugiyama2010, as multiples of the median distance, and penalties.
PAPER_WIDTHS = (1 / 10, 1 / 5, 1 / 2, 2 / 3, 1.0, 3 / 2, 2.0, 5.0, 10.0)
PAPER_ALPHAS = tuple(10.0 ** np.arange(-2, 0.1, 0.5))
#: Penalties that reach further down, where the best ones are found more often.
WIDE_ALPHAS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)

#: Steps beyond a grid, and how far they go.  Smaller penalties would drown in rounding.
ALPHA_FACTOR, ALPHA_LIMITS = 10.0, (0.9e-12, 1.1e6)
GAMMA_FACTOR, GAMMA_REACH = 4.0, 4.0**4

#: How much worse, relatively, than the best grid that of another scale may be and still be walked on from.
SLACK = 0.25

#: (gammas, alphas) → scores (g, a, r, c) of rows that the models have not seen.
Unseen = Callable[[Sequence[Value], Sequence[float]], HeldOutScores]


def alpha_axis(alphas: str | Sequence[float]) -> Axis:
    """Penalties by name, or as they are given."""
    if not isinstance(alphas, str):
        return Axis(alphas)
    if alphas == "auto":
        return Axis(WIDE_ALPHAS, ALPHA_FACTOR, ALPHA_LIMITS)
    return Axis(PAPER_ALPHAS if alphas == "paper" else WIDE_ALPHAS)


def gamma_axis(name: str, median: float) -> Axis:
    """Gammas by name, around the median distance."""
    gammas = [1 / (2 * (width * median) ** 2) for width in PAPER_WIDTHS]
    if name == "paper":
        return Axis(gammas)
    return Axis(gammas, GAMMA_FACTOR, (min(gammas) / GAMMA_REACH, max(gammas) * GAMMA_REACH))


class Stage(NamedTuple):
    """A view of the rows, how points are tried in it, and which."""

    view: ScaledView
    unseen: Unseen
    gammas: Axis
    alphas: Axis


class Found(NamedTuple):
    """The best point of a view, its score, and whether only the limits of the search ended it there."""

    view: ScaledView
    gamma: float | None
    alpha: float
    score: float
    stopped: bool


@dataclass
class LeastSquaresSearch:
    """Search of (gamma, alpha) in one view of the rows after another, that writes down what it tries.

    Parameters
    ----------
    score : callable
        HeldOutScores → scores (g, a), the larger the better.
    record : list of dict
        What was tried.
    """

    score: Callable[[HeldOutScores], np.ndarray]
    record: list[dict] = field(default_factory=list)

    def best(self, stages: Iterable[Stage]) -> Found:
        """The best point of all views; of equals that of the first.

        The grids of all views are scored, and those that are not far behind go on beyond their borders.
        """
        grids = [(stage.view, OpenGrid(self._scorer(stage), stage.gammas, stage.alphas)) for stage in stages]
        starts = [(view, grid, grid.scan()) for view, grid in grids]
        top = max(grid.tried[start] for _, grid, start in starts)
        promising = (each for each in starts if each[1].tried[each[2]] >= top - SLACK * abs(top))
        return max((_walked(*each) for each in promising), key=lambda found: found.score)

    def _scorer(self, stage: Stage) -> Callable[[Sequence[Value], Sequence[float]], np.ndarray]:
        """What scores points of a view, and writes them down."""

        def score(gammas: Sequence[Value], alphas: Sequence[float]) -> np.ndarray:
            rows = stage.unseen(gammas, alphas)
            scores = self.score(rows)
            for (g, a), value in np.ndenumerate(scores):
                point = {"scale": stage.view.rule, "gamma": gammas[g], "alpha": alphas[a]}
                self.record.append(point | {"n_rows": len(rows.y), "mean_test_score": value})
            return scores

        return score

    def results(self) -> SearchResults:
        """The record, as columns."""
        columns = {name: [point[name] for point in self.record] for name in self.record[0]}
        columns["gamma"] = [np.nan if gamma is None else gamma for gamma in columns["gamma"]]
        return SearchResults(
            {name: np.array(values, object if name == "scale" else None) for name, values in columns.items()}
        )


def _walked(view: ScaledView, grid: OpenGrid, start: Point) -> Found:
    """Where a walk from a point of a grid ends."""
    gamma, alpha = grid.walk(start)
    # Below the least penalty there is nothing but rounding.
    stopped = grid.gammas.stops_at(gamma) or (alpha > 1 and grid.alphas.stops_at(alpha))
    return Found(view, gamma, alpha, grid.tried[gamma, alpha], stopped)
