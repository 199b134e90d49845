"""What a least-squares posterior has learnt from rows so far, and what follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelproba.calibration import Clipping, HeldOutScores, ScoreMap, fit_score_map
from kernelproba.rows.duplicates import row_units
from kernelproba.rows.row_hash import row_keys
from kernelproba.rows.sketch import RowSketch, sketch_rows
from kernelproba.solvers.least_squares.posterior_sums import PosteriorSums
from kernelproba.typing import Matrix

#: Rows whose leave-one-out scores calibrate the posterior.
SKETCH_ROWS = 2000


@dataclass(frozen=True)
class PosteriorOptions:
    """How to solve, and how to turn scores into probabilities: parameters of the classifier."""

    alpha: float
    solver: str
    calibration: str | None
    outside: str

    @property
    def direct_solver(self) -> str:
        """Solver for scores of rows left out, which a descent does not have."""
        return "cholesky" if self.solver == "sgd" else self.solver


@dataclass(frozen=True)
class PosteriorSolution:
    """Coefficients (c, m), the map from scores to probabilities, and leave-one-out scores of the sketch."""

    coef: np.ndarray
    score_map: ScoreMap
    sketch_scores: np.ndarray | None = None


def learn_block(
    X: Matrix, y: np.ndarray, weight: np.ndarray, start: "LearntPosterior", class_weight: np.ndarray
) -> "LearntPosterior":
    """What one block of rows teaches, with the centres of `start`, which has learnt nothing yet.

    The weights (n,) have those of the classes (c,) in them.
    """
    rows = np.flatnonzero(weight)
    sums = PosteriorSums(start.sums.kernel, start.sums.Z, start.sums.centers, len(start.sums.class_mass))
    learnt = LearntPosterior(sums, start.options)
    X, y, weight = X[rows], y[rows], weight[rows]
    learnt.learn(RowSketch(X, y, weight, row_units(weight / class_weight[y]), row_keys(X, y)))
    return learnt


class LearntPosterior:
    """Sums over all rows seen, and a sample of the rows to be left out one by one.

    Parameters
    ----------
    sums : PosteriorSums
        Sums over no rows yet.
    options : PosteriorOptions
        How to solve.
    """

    def __init__(self, sums: PosteriorSums, options: PosteriorOptions):
        self.sums, self.options = sums, options
        self._sketch: RowSketch | None = None
        self._solution: PosteriorSolution | None = None

    def copy(self) -> "LearntPosterior":
        """What has been learnt so far, to learn on from without changing this."""
        copied = LearntPosterior(self.sums.copy(), self.options)
        copied._sketch = self._sketch
        return copied

    @property
    def prior(self) -> np.ndarray:
        """Weighted shares of the classes (c,)."""
        return self.sums.class_mass / self.sums.total

    def learn(self, rows: RowSketch) -> None:
        """Take rows in; solving waits until asked."""
        self.sums.count(rows.X, rows.y, rows.weight)
        sketch = sketch_rows(rows, SKETCH_ROWS)
        self._sketch = sketch if self._sketch is None else self._sketch.merged(sketch, SKETCH_ROWS)
        self._solution = None

    def __add__(self, other: "LearntPosterior") -> "LearntPosterior":
        """What both have learnt, from different rows with the same centres."""
        both = LearntPosterior(self.sums.merged(other.sums), self.options)
        sketches = [s for s in (self._sketch, other._sketch) if s is not None]
        if sketches:
            both._sketch = sketches[0] if len(sketches) == 1 else sketches[0].merged(sketches[1], SKETCH_ROWS)
        return both

    def solution(self) -> PosteriorSolution:
        """Coefficients and probabilities of what has been learnt; kept until there is more."""
        if self._solution is None:
            self._solution = self._solve()
        return self._solution

    def path(self, alphas: Sequence[float]) -> np.ndarray:
        """Coefficients (len(alphas), c, m)."""
        return self.sums.coefficients(alphas, self.options.solver)

    def leave_one_out(self, rows: RowSketch) -> np.ndarray:
        """Scores (n, c) of distinct rows that have been learnt with these weights, each left out in turn."""
        known, sketch = self.solution().sketch_scores, self._sketch
        if known is not None and sketch is not None:
            place = np.minimum(np.searchsorted(sketch.keys, rows.keys), len(sketch) - 1)
            same = (sketch.keys[place] == rows.keys) & np.isclose(sketch.weight[place], rows.weight, atol=0)
            if same.all():
                return known[place]
        return self._left_out_scores(rows)

    def _solve(self) -> PosteriorSolution:
        coef = self.path([self.options.alpha])[0]
        calibration, outside = self.options.calibration, self.options.outside
        if self._sketch is None or (calibration is None and outside == "tails"):
            return PosteriorSolution(coef, Clipping(self.prior))
        Q = self._left_out_scores(self._sketch)
        rows = HeldOutScores(Q, self._sketch.y, self._sketch.weight, float(self._sketch.units.sum()))
        return PosteriorSolution(coef, fit_score_map(rows, self.prior, calibration, outside), Q)

    def _left_out_scores(self, rows: RowSketch) -> np.ndarray:
        return self.sums.leave_one_out(rows, self.options.alpha, self.options.direct_solver)
