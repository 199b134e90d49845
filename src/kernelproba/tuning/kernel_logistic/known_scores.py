"""Scores of the rows of a search by the fits so far, from which further fits set out.

From one width to the next, and from all rows to a part of them, coefficients are a bad start and scores a
good one (`kernelproba.solvers.smooth.score_start`): fits take half of the products with the kernel matrix.
From one part of the rows to another they are not: rows that the fit had not seen and is wrong about leave no
curvature behind, and fits to 400 rows of 20 classes took five times as long as from nothing.
"""

from typing import NamedTuple

import numpy as np

from kernelproba.rows.folds import Fold

#: Rows of a fit up to which scores are of use: more are fitted in subspaces that know nothing of them.
MOST_ROWS = 1000
#: Steps, factors of 2 of gamma and of √10 of C, from which on scores say little, and those that the rows of a
#: fold, where all were fitted, and weights of features count.
FARTHEST, FOLD_STEPS, WEIGHING_STEPS = 4.0, 0.5, 2.0


class _Known(NamedTuple):
    """Where a fit was made: without a fold, at gamma and C; gamma is NaN for other weights of features."""

    fold: Fold | None
    gamma: float | None
    C: float


class KnownScores:
    """Scores by fits to all rows, or to what folds train on."""

    def __init__(self) -> None:
        self._known: dict[_Known, np.ndarray] = {}

    def add(self, fold: Fold | None, point: tuple[float | None, float], F: np.ndarray) -> None:
        """Keep scores F (n, k) of the rows of a fit at (gamma, C): of all, or of those a fold trains on."""
        if len(F) <= MOST_ROWS * (1 if fold else 2):  # half of all rows may be a fold's
            self._known[_Known(fold, *point)] = F.astype(np.float32)

    def reweighed(self, point: tuple[float | None, float]) -> "KnownScores":
        """What fits at (gamma, C) say of those to the same rows with other weights of their features."""
        other = KnownScores()
        for (fold, *at), F in self._known.items():
            if tuple(at) == point:
                other.add(fold, (np.nan, point[1]), F)
        return other

    def nearest(
        self, fold: Fold | None, point: tuple[float | None, float], nearer_than: float
    ) -> np.ndarray | None:
        """Scores to start a fit from, of the fit that is nearest; None if none is, or scores are of no use.

        Parameters
        ----------
        fold : Fold or None
            What the fit trains on.
        point : (gamma, C)
            Its settings.
        nearer_than : float
            Steps from which on there are better starts.
        """
        wanted = _Known(fold, *point)
        usable = [known for known in self._known if known.fold in (None, fold)]
        best = min(usable, key=lambda known: _steps(known, wanted), default=None)
        if best is None or _steps(best, wanted) >= min(nearer_than, FARTHEST):
            return None
        F = self._known[best] if best.fold == fold or fold is None else self._known[best][fold.train]
        return F.astype(np.float64) if len(F) <= MOST_ROWS else None


def _steps(known: _Known, wanted: _Known) -> float:
    """How far apart two fits are."""
    steps = penalty_steps(known.C, wanted.C) + FOLD_STEPS * (known.fold != wanted.fold)
    if known.gamma is None or wanted.gamma is None:
        return steps
    return steps + (
        WEIGHING_STEPS if np.isnan(known.gamma) else abs(float(np.log2(known.gamma / wanted.gamma)))
    )


def penalty_steps(C: float, other: float) -> float:
    """How far apart two values of C are."""
    return 2 * abs(float(np.log10(C / other)))
