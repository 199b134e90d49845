"""Fits of kernel logistic regression at many (gamma, C), and what each says of rows it has not seen.

The points share what they can: distances serve all gammas, a kernel matrix and its low rank serve all C, and
every fit starts from the one before it whose C is nearest.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kernelproba.basis import span_rows
from kernelproba.basis.low_rank import LowRank, low_rank_of_matrix
from kernelproba.estimators.base.classifier import Training
from kernelproba.estimators.kernel_logistic.exact import KernelFunction, Options, fit_matrix
from kernelproba.kernels import Kernel, Precomputed, Stationary, kernel_matrix, rows_in
from kernelproba.losses import loss_for
from kernelproba.objective import DenseMatrix
from kernelproba.solvers.loo.logistic import logistic_loo_scores
from kernelproba.solvers.loo.softmax import softmax_loo_scores

#: Largest rank of kernel matrices in leave-one-out systems.
MAX_RANK = 600
#: Rows up to which leave-one-out of one score takes the whole matrix.
EXACT_ROWS = 1000
#: What a low rank may leave of a row: so much relative to 1/C, and within these bounds.
LEFT, LEAST_LEFT, MOST_LEFT = 0.02, 1e-4, 1e-2


#: Numbers of rows to fit and to predict.
Folds = Sequence[tuple[np.ndarray, np.ndarray]]


class Unseen(NamedTuple):
    """Numbers of rows (r,), and their log-probabilities (r, c) by a fit that has not seen them."""

    rows: np.ndarray
    log_P: np.ndarray


class Trials:
    """Fits to the same rows.

    Parameters
    ----------
    training : Training
        Rows.
    kernel_of : callable
        gamma → Kernel.
    options : Options
        Of the fits, which are by irls.
    folds : sequence of (train, test) or None
        Numbers of rows to fit and to predict; None leaves out one row at a time.
    scale, weighed : str or None, bool
        What was done to the features, for the record.
    """

    def __init__(
        self,
        training: Training,
        kernel_of: Callable[[float | None], Kernel],
        options: Options,
        folds: Folds | None = None,
        scale: str | None = None,
        weighed: bool = False,
    ):
        self.training, self.options, self.folds = training, options, folds
        self.scale, self.weighed = scale, weighed
        self._kernel_of = kernel_of
        self._dtype = options.precision(len(training.y))
        self._distances: np.ndarray | None = None
        self._fits: dict[tuple[int, float | None], dict[float, KernelFunction]] = {}
        # A search walks to and fro between neighbouring widths.
        self.matrix = lru_cache(maxsize=3)(self._matrix)
        self.low_rank = lru_cache(maxsize=3)(self._low_rank)

    def unseen(self, gamma: float | None, C: float) -> list[Unseen]:
        """What the fit at (gamma, C) says of rows it has not seen, one part for each fold."""
        if self.folds is None:
            return [self._left_out(gamma, C)]
        return [self._held_out(gamma, C, number) for number in range(len(self.folds))]

    def fit(self, gamma: float | None, C: float) -> KernelFunction:
        """The fit to all rows."""
        return self._fit(-1, self.matrix(gamma), np.arange(len(self.training.y)), (gamma, C))

    def predict(self, X: np.ndarray, gamma: float | None, C: float) -> np.ndarray:
        """Log-probabilities (m, c) of other rows by the fit to all."""
        function, K = self.fit(gamma, C), self._kernel_of(gamma)(X, self.training.X)
        return log_probabilities(K.astype(np.float64, copy=False) @ function.dual + function.intercept)

    def to(self, training: Training, folds: Folds | None = None, *, weighed: bool = False) -> "Trials":
        """Fits to other rows."""
        return Trials(training, self._kernel_of, self.options, folds, self.scale, weighed)

    def outside(self, number: int, train: np.ndarray) -> "Trials":
        """Fits to the training rows of a fold, of which those that are known need not be made again."""
        fits, own = self.to(self.training.at(train)), (self.folds or ())[number : number + 1]
        if own and np.array_equal(own[0][0], train):
            fits._fits = {(-1, gamma): known for (fold, gamma), known in self._fits.items() if fold == number}
        return fits

    def left_out_scores(self, gamma: float | None, C: float, F: np.ndarray) -> np.ndarray:
        """Scores (n, k) of each row by the fit at a point without it, from those F by the fit to all."""
        y, weights, free = self.training.y, C * self.training.weight, self.options.fit_intercept
        if self.is_exact(F.shape[1]):
            f = logistic_loo_scores(self.matrix(gamma), F[:, 0], y, weights, fit_intercept=free)
            return f[:, None]
        low = self.low_rank(gamma).truncated(allowed_rest(C))
        return softmax_loo_scores(low, F, y, weights, fit_intercept=free)

    def is_exact(self, n_scores: int) -> bool:
        """Whether leave-one-out does without a low rank: of one score the whole matrix costs no more."""
        return n_scores == 1 and len(self.training.y) <= EXACT_ROWS

    def _left_out(self, gamma: float | None, C: float) -> Unseen:
        function = self.fit(gamma, C)
        F = DenseMatrix(self.matrix(gamma)).product(function.dual) + function.intercept
        return Unseen(np.arange(len(F)), log_probabilities(self.left_out_scores(gamma, C, F)))

    def _held_out(self, gamma: float | None, C: float, number: int) -> Unseen:
        assert self.folds is not None
        K, (train, test) = self.matrix(gamma), self.folds[number]
        function = self._fit(number, K[np.ix_(train, train)], train, (gamma, C))
        F = K[np.ix_(test, train)].astype(np.float64, copy=False) @ function.dual + function.intercept
        return Unseen(test, log_probabilities(F))

    def _fit(
        self, fold: int, K: np.ndarray, rows: np.ndarray, point: tuple[float | None, float]
    ) -> KernelFunction:
        """Fit from the fit of the nearest C; coefficients for one gamma are a bad start for another."""
        gamma, C = point
        known = self._fits.setdefault((fold, gamma), {})
        start = min(known, key=lambda other: abs(np.log(other / C)), default=None)
        problem = DenseMatrix(K), self.training.y[rows], C * self.training.weight[rows], self.options
        function = fit_matrix(*problem, None if start is None else known[start])
        if start is not None and not function.solution.converged:
            function = fit_matrix(*problem)
        known[C] = function
        return function

    def _matrix(self, gamma: float | None) -> np.ndarray:
        kernel, X = self._kernel_of(gamma), self.training.X
        if not kernel.definite or isinstance(kernel, Precomputed):
            # Refuses an indefinite matrix, or takes its positive part.
            _, Phi = span_rows(kernel, X)
            return Phi @ Phi.T
        if not isinstance(kernel, Stationary) or np.ndim(kernel.length_scale) > 0:
            return kernel_matrix(kernel, X, self._dtype)
        if self._distances is None:
            X = rows_in(self._dtype, kernel, X)
            self._distances = kernel.distances(X, X).astype(self._dtype, copy=False)
        return kernel.of_distance(self._distances.copy())

    def _low_rank(self, gamma: float | None) -> LowRank:
        return low_rank_of_matrix(self.matrix(gamma), max_rank=MAX_RANK, tol=LEAST_LEFT)


def allowed_rest(C: float) -> float:
    """What a low rank may leave of a row, so that little of its curvature is neglected."""
    return float(np.clip(LEFT / C, LEAST_LEFT, MOST_LEFT))


def log_probabilities(F: np.ndarray) -> np.ndarray:
    """Log-probabilities (n, c) of scores F (n, k)."""
    return loss_for(2 if F.shape[1] == 1 else F.shape[1]).log_probabilities(F)
