"""The least-squares posterior by averaged stochastic gradient steps, for streams without end."""

from collections.abc import Sequence
from copy import copy

import numpy as np

from kernelproba.solvers.least_squares.averaged_sgd import BATCH_ROWS, AveragedSGD
from kernelproba.solvers.least_squares.normal_equations import NormalEquations
from kernelproba.solvers.least_squares.posterior_sums import PosteriorSums
from kernelproba.typing import Matrix

#: At most that many rows per centre of a block are counted exactly before the descent begins.
_FIRST_ROWS_PER_CENTER = 4


class StochasticPosterior(PosteriorSums):
    """Descent with the face of exact sums; `equations` hold the first rows alone.

    Parameters
    ----------
    kernel, Z, centers, n_classes
        As in `PosteriorSums`.
    alpha : float
        α, fixed for the whole stream.
    """

    def __init__(self, kernel, Z, centers, n_classes, alpha: float):
        super().__init__(kernel, Z, centers, n_classes)
        self._alpha = alpha
        self._first_mass = 0.0
        self._n_rows = 0
        self._descents: list[AveragedSGD] = []

    def count(self, X: Matrix, y: np.ndarray, weight: np.ndarray) -> None:
        """Take rows (n, d), their class indices and weights (n,) in, by one pass of steps."""
        self._weigh(y, weight)
        self._n_rows += len(y)
        if not self._descents:
            self._begin(X, y, weight)
        self.descend(X, y, weight)

    def copy(self) -> "StochasticPosterior":
        """The same descent, to continue; what the first rows have fixed is shared."""
        copied = copy(self)
        copied.class_mass = self.class_mass.copy()
        copied._descents = [descent.copy() for descent in self._descents]
        return copied

    def descend(self, X: Matrix, y: np.ndarray, weight: np.ndarray) -> None:
        """Pass once more over rows that have been counted."""
        relative = weight * (self._n_rows / self.total)
        for rows in self._row_blocks(X.shape[0]):
            K, Y, s = self._features(X[rows]), self._indicators(y[rows]), relative[rows]
            for start in range(0, len(K), BATCH_ROWS):
                batch = slice(start, start + BATCH_ROWS)
                for block, descent in zip(self.centers.blocks, self._descents, strict=True):
                    descent.step(K[batch, block.columns], Y[batch][:, block.classes], s[batch])

    def coefficients(self, alphas: Sequence[float], solver: str) -> np.ndarray:  # noqa: ARG002  # one way only
        """Coefficients (1, c, m); the descent knows no α but its own."""
        if list(alphas) != [self._alpha]:
            raise ValueError(
                "solver='sgd' finds the solution for its own alpha alone: use 'cholesky' or 'eigh' for a "
                "path."
            )
        A = np.zeros((1, len(self.class_mass), len(self.centers.rows)))
        for block, descent in zip(self.centers.blocks, self._descents, strict=True):
            A[0, block.classes, block.columns] = descent.coef.T
        return A

    def _begin(self, X: Matrix, y: np.ndarray, weight: np.ndarray) -> None:
        """Solve for the first rows exactly."""
        n = max(BATCH_ROWS, _FIRST_ROWS_PER_CENTER * max(len(block) for block in self.centers.blocks))
        K, Y, s = self._features(X[:n]), self._indicators(y[:n]), weight[:n]
        sample = K.copy()
        self._add(K, Y, s)
        self._first_mass = float(s.sum())
        self._descents = [
            AveragedSGD(equations, self._first_mass, self._alpha, sample[:, block.columns])
            for block, equations in zip(self.centers.blocks, self.equations, strict=True)
        ]

    def _all_equations(self) -> list[NormalEquations]:
        """Equations of the stream as its first rows foretell them, solved by the descent."""
        scale = self.total / self._first_mass
        return [
            descent.implied(equations, self.total, scale)
            for equations, descent in zip(self.equations, self._descents, strict=True)
        ]
