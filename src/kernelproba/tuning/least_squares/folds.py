"""Scores of held-out folds by least-squares posteriors at many widths and penalties.

Each fold and width is one sum over rows, from which the solutions of all penalties follow.
"""

from collections.abc import Callable, Sequence

import numpy as np

from kernelproba.calibration import HeldOutScores
from kernelproba.rows.folds import Fold
from kernelproba.solvers.least_squares.posterior_sums import PosteriorSums
from kernelproba.tuning.least_squares.loo import Basis, KernelOf
from kernelproba.tuning.observations import Observations


class FoldCandidates:
    """Models at many (gamma, alpha), judged by folds.

    Parameters
    ----------
    rows : Observations
        Rows, as the models are to see them.
    folds : sequence of Fold
        What is held out.
    basis_of : callable
        Observations → Basis, for the rows that a fold trains on.
    kernel_of : callable
        (Observations, gamma) → Kernel.
    """

    def __init__(
        self,
        rows: Observations,
        folds: Sequence[Fold],
        basis_of: Callable[[Observations], Basis],
        kernel_of: KernelOf,
    ):
        self._rows, self._folds, self._kernel_of = rows, folds, kernel_of
        self._train = [rows.train(fold) for fold in folds]
        self._bases = [basis_of(train) for train in self._train]

    @property
    def n_rows(self) -> int:
        """Number of rows that the models are fitted to, fold by fold."""
        return len(self._rows)

    @property
    def folds(self) -> list[np.ndarray]:
        """Which of the scores belong to which fold."""
        stops = np.cumsum([len(fold.test) for fold in self._folds])
        return np.split(np.arange(stops[-1]), stops[:-1])

    def held_out(self, gamma: float | None, alphas: Sequence[float]) -> list[HeldOutScores]:
        """Return scores (r, c) of all rows held out, fold after fold, for each penalty."""
        rows = self._rows
        Q = np.concatenate([self._fold_scores(k, gamma, alphas) for k in range(len(self._folds))], axis=1)
        y = np.concatenate([rows.y[fold.test] for fold in self._folds])
        weight = np.concatenate([rows.test_weight(fold) for fold in self._folds])
        return [HeldOutScores(scores, y, weight, float(rows.units.sum())) for scores in Q]

    def _fold_scores(self, k: int, gamma: float | None, alphas: Sequence[float]) -> np.ndarray:
        """Scores (a, r, c) of the test rows of a fold."""
        train, (centers, given) = self._train[k], self._bases[k]
        kernel = self._kernel_of(train, gamma)
        Z = kernel.select(train.X, centers.rows) if given is None else given
        sums = PosteriorSums(kernel, Z, centers, self._rows.n_classes)
        sums.count(train.X, train.y, train.weight)
        K = kernel(self._rows.test(self._folds[k]), Z)
        return np.stack([K @ coef.T for coef in sums.coefficients(alphas, "cholesky")])
