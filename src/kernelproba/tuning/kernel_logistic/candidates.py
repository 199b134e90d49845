"""Fits of kernel logistic regression at many (gamma, C), and their predictions of observations left out.

The candidates share what they can: distances serve all gammas, a kernel matrix and its low rank serve all C,
and every fit starts from the one before it whose C is nearest.  A fit that does not converge is repeated from
nothing, and then in double precision; if that fails too, its predictions say so.

Leave-one-out takes the curvature of the loss from the fit to all rows.  Where few rows are separated by far,
nothing is left of it, and the formula calls certain what a fit without the row would not (29 rows of 5597
genes, linear kernel, C = 100: 0.39 where refits say 0.47).  Such saturated fits are judged by refits to ten
folds.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import numpy as np

from kernelproba.basis import span_rows
from kernelproba.basis.low_rank import LowRank
from kernelproba.estimators.kernel_logistic.exact import KernelFunction, LogisticFunction, Options, fit_matrix
from kernelproba.kernels import Kernel, Laplacian, Precomputed, kernel_matrix
from kernelproba.kernels.distance_cache import DistanceCache
from kernelproba.linalg import NotDefiniteError
from kernelproba.losses import loss_for
from kernelproba.objective import KernelMatrix
from kernelproba.rows.folds import Fold
from kernelproba.solvers.loo.locations import Locations
from kernelproba.solvers.loo.logistic import logistic_loo_scores
from kernelproba.solvers.loo.softmax import softmax_loo_scores
from kernelproba.solvers.smooth.irls import KernelSolution
from kernelproba.tuning.kernel_logistic.gram_matrices import (
    FactoredGram,
    GramMatrix,
    WholeGram,
    has_factor,
    wide_factor,
)
from kernelproba.tuning.kernel_logistic.known_scores import KnownScores, penalty_steps
from kernelproba.tuning.kernel_logistic.matrix_room import MatrixRoom
from kernelproba.tuning.observations import Observations

#: Largest rank of kernel matrices in leave-one-out systems.
MAX_RANK = 600
#: Rows up to which leave-one-out of one score takes the whole matrix.
EXACT_ROWS = 1000
#: What a low rank may leave of a row: so much relative to 1/ω, and within these bounds.
RANK_TOL_PER_C, MIN_RANK_TOL, MAX_RANK_TOL = 0.02, 1e-4, 1e-2
#: Log loss of the rows of a fit, relative to that by leave-one-out, below which the fit is saturated.
SATURATED = 2e-3
#: Folds of refits where the fit to all rows is saturated.
REFIT_FOLDS = 10
#: Folds of refits where rows are many, and where weights of features are those of a quarter that is held out.
QUARTERS, TWELFTHS = 4, 12

#: Parts of kernel matrices for folds that are kept.
KEPT_PARTS = 2

#: None leaves out one observation at a time.
Folds = Sequence[Fold] | None


class HeldOutPrediction(NamedTuple):
    """Predictions of observations by a fit without them.

    Attributes
    ----------
    rows, weight : arrays of shape (r,)
        Numbers of distinct rows, and the weight of the observations that were left out.
    log_P : array of shape (r, c)
        Log-probabilities.
    converged : bool
        Whether the fit is one.
    """

    rows: np.ndarray
    log_P: np.ndarray
    weight: np.ndarray
    converged: bool


class CandidateFits:
    """Fits to the same rows.

    Parameters
    ----------
    rows : Observations
        Distinct rows, on the scale on which they are compared.
    kernel_of : callable
        gamma → Kernel.
    options : Options
        Of the fits, which are by irls.
    room : MatrixRoom, optional
        What the matrices of these and other fits may take; by default any number of bytes.
    """

    def __init__(
        self,
        rows: Observations,
        kernel_of: Callable[[float | None], Kernel],
        options: Options,
        room: MatrixRoom | None = None,
    ):
        self.rows, self.options, self._room = rows, options, MatrixRoom() if room is None else room
        self.kernel = lru_cache(maxsize=None)(kernel_of)
        self._distances = DistanceCache(rows.X)
        self._widths: set[float | None] = set()
        self._fits: dict[tuple[Fold | None, float | None], dict[float, LogisticFunction]] = {}
        self._predictions: dict[tuple[Fold | None, float | None, float], HeldOutPrediction] = {}
        self._parts: dict[tuple[Fold, float | None, np.dtype], KernelMatrix] = {}
        self.known_scores = KnownScores()
        # A search walks to and fro between neighbouring widths.
        self._matrix = lru_cache(maxsize=3)(self._compute_matrix)
        self.low_rank = lru_cache(maxsize=3)(self._compute_low_rank)
        self._wide_factor = lru_cache(maxsize=3)(self._compute_wide_factor)

    def __len__(self) -> int:
        return len(self.rows)

    def forget(self) -> None:
        """Give the memory of matrices free; they are computed anew where they are needed again."""
        self._distances = DistanceCache(self.rows.X)
        self.forget_widths()

    def forget_widths(self) -> None:
        """Give the memory of kernel matrices free, but not that of distances."""
        self._parts.clear()
        self._matrix.cache_clear()
        self.low_rank.cache_clear()
        self._wide_factor.cache_clear()

    def matrix(self, gamma: float | None, weight: float = 1.0) -> np.ndarray:
        """Kernel matrix (m, m), in single precision where rows are many and a weight ω allows it."""
        self._room.use(self)
        return self._matrix(gamma, self.options.precision(len(self.rows.y), weight))

    def held_out(self, gamma: float | None, C: float, folds: Folds) -> list[HeldOutPrediction]:
        """Predict what the fit at (gamma, C) has not seen: one part for each fold."""
        parts = []
        for fold in [None] if folds is None else folds:
            if (key := (fold, gamma, C)) not in self._predictions:
                predict = self._left_out if fold is None else partial(self._held_out, fold)
                self._predictions[key] = predict(gamma, C, self.fit(gamma, C, fold))
            parts.append(self._predictions[key])
        return parts

    def fit(self, gamma: float | None, C: float, fold: Fold | None = None) -> LogisticFunction:
        """Fit to all rows, or to the training part of a fold."""
        known = self._fits.setdefault((fold, gamma), {})
        if C in known:
            return known[C]
        rows, weight = np.arange(len(self.rows.y)), self.rows.weight
        if fold is not None:
            rows, weight = fold.train, weight[fold.train] * fold.train_share
        dtype = self.options.precision(len(self.rows.y), C * weight.max())
        for precision, start in self._attempts(dtype, self._starts(gamma, C, fold)):
            K = self._among(self._gram(gamma, C, precision), fold, gamma)
            function = fit_matrix(K, self.rows.y[rows], C * weight, self.options, start)
            if isinstance(solution := function.solution, KernelSolution) and solution.converged:
                F = solution.values + function.intercept
                self.known_scores.add(fold, (gamma, C), F)
                break
        known[C] = function
        return function

    def finished(self, gamma: float | None, C: float, options: Options) -> LogisticFunction | None:
        """Fit to all rows by other options, going on from that of the search.

        None where there is none to go on from, an estimator would not fit a kernel matrix, or it fails.
        """
        kernel, known = self.kernel(gamma), self._fits.get((None, gamma), {}).get(C)
        in_features = (
            has_factor(kernel, self.rows.X) or not kernel.definite or isinstance(kernel, Precomputed)
        )
        if known is None or in_features or not known.solution.converged:
            return None
        weights = C * self.rows.weight
        K = self._gram(gamma, C, options.precision(len(weights), weights.max())).among(None)
        function = fit_matrix(K, self.rows.y, weights, options, known)
        return function if function.solution.converged else None

    def predict(self, X: np.ndarray, gamma: float | None, C: float) -> np.ndarray:
        """Log-probabilities (r, c) of other rows by the fit to all."""
        function, K = self.fit(gamma, C), self.kernel(gamma)(X, self.rows.X)
        return score_log_probabilities(K.astype(np.float64, copy=False) @ function.dual + function.intercept)

    def predict_compared(self, others: DistanceCache, gamma: float | None, C: float) -> np.ndarray:
        """Log-probabilities (r, c) of others that know how far they are from the rows, in their precision."""
        function = self.fit(gamma, C)
        dtype = self.options.precision(len(self.rows.y), C * self.rows.weight.max())
        F = others.matrix(self.kernel(gamma), dtype) @ function.dual.astype(dtype, copy=False)
        return score_log_probabilities(F.astype(np.float64, copy=False) + function.intercept)

    def on(self, rows: Observations) -> "CandidateFits":
        """Fits with the same kernels to other rows."""
        return CandidateFits(rows, self.kernel, self.options, self._room)

    def part(self, fold: Fold, gamma: float | None, C: float) -> "CandidateFits":
        """Fits to what a fold trains on, one of which is known."""
        part = self.on(self.rows.train(fold))
        part._fits[None, gamma] = {C: self.fit(gamma, C, fold)}
        return part

    def loo_scores(self, gamma: float | None, C: float, F: np.ndarray) -> np.ndarray:
        """Scores (m, k) of each row without one of its observations, from those F by the fit to all."""
        y, weights, free = self.rows.y, C * self.rows.weight, self.options.fit_intercept
        share, places = 1 / self.rows.units, self._locations
        if self.is_exact(gamma, F.shape[1]):
            # Rounding of K that a fit with these weights bears does not matter here either.
            K = self.matrix(gamma, weights.max())
            return logistic_loo_scores(
                K, F[:, 0], y, weights, fit_intercept=free, share=share, locations=places
            )[:, None]
        low = self.low_rank(gamma).truncated(self.rank_tolerance(C))
        return softmax_loo_scores(low, F, y, weights, fit_intercept=free, share=share, locations=places)

    def is_exact(self, gamma: float | None, n_scores: int) -> bool:
        """Whether leave-one-out does without a low rank: of one score the whole matrix costs no more.

        Unless a thin factor of it is known.
        """
        few = n_scores == 1 and len(self.rows.y) <= EXACT_ROWS
        return few and not has_factor(self.kernel(gamma), self.rows.X)

    def rank_tolerance(self, C: float) -> float:
        """What a low rank may leave of a row, so that little of its curvature is neglected."""
        return float(np.clip(RANK_TOL_PER_C / (C * self.rows.weight.max()), MIN_RANK_TOL, MAX_RANK_TOL))

    def _left_out(self, gamma: float | None, C: float, function: LogisticFunction) -> HeldOutPrediction:
        """Predict every row without one of its observations, from the fit to all."""
        F = self._fitted_gram(gamma, C).among(None).product(function.dual) + function.intercept
        log_P, converged = self.loo_log_probabilities(gamma, C, F), function.solution.converged
        # A fit that has not converged is no candidate, whatever ten more that are as hard would say.
        if log_P is None and converged:
            return self.refitted(gamma, C)
        log_P = score_log_probabilities(F) if log_P is None else log_P
        return HeldOutPrediction(np.arange(len(F)), log_P, self.rows.judged_weight, converged)

    def loo_log_probabilities(self, gamma: float | None, C: float, F: np.ndarray) -> np.ndarray | None:
        """Log-probabilities (m, c) by `loo_scores`; None where the formula does not hold."""
        try:
            log_P = score_log_probabilities(self.loo_scores(gamma, C, F))
        except NotDefiniteError:  # weights so far apart that rounding leaves no curvature
            return None
        return None if self.is_saturated(F, log_P) else log_P

    def is_saturated(self, F: np.ndarray, log_P: np.ndarray) -> bool:
        """Whether scores F of the fit to all rows have too little curvature for leave-one-out's log_P."""
        return self._loss(score_log_probabilities(F)) < SATURATED * self._loss(log_P)

    def _loss(self, log_P: np.ndarray) -> float:
        """Mean log loss of log-probabilities (m, c) of all rows."""
        weight = self.rows.judged_weight
        return float(weight @ -log_P[np.arange(len(log_P)), self.rows.y]) / float(weight.sum())

    def refitted(self, gamma: float | None, C: float) -> HeldOutPrediction:
        """Predict every row by fits to the folds that lack it; the observations of a row are averaged."""
        return joined(self.held_out(gamma, C, self.refit_folds), self.refit_folds, self.rows)

    @cached_property
    def _locations(self) -> Locations:
        """Rows that differ in their labels alone; those of a kernel matrix are its rows."""
        return Locations.of(self.rows.X)

    @cached_property
    def quarters(self) -> list[Fold]:
        """Four folds of refits, the same for all candidates."""
        return self.rows.folds(QUARTERS)

    @cached_property
    def refit_folds(self) -> list[Fold]:
        """Folds of refits, the same for all candidates."""
        return self.rows.folds(REFIT_FOLDS)

    @cached_property
    def twelfths(self) -> list[Fold]:
        """Folds of which number k is a part of quarter k mod 4."""
        return self.rows.folds(TWELFTHS)

    def _held_out(
        self, fold: Fold, gamma: float | None, C: float, function: LogisticFunction
    ) -> HeldOutPrediction:
        """Predict what a fold tests, from the fit to the rest."""
        F = self._fitted_gram(gamma, C).scores(fold.test, fold.train, function.dual) + function.intercept
        weight = self.rows.judged_weight[fold.test] * fold.test_share
        log_P = score_log_probabilities(F)
        return HeldOutPrediction(fold.test, log_P, weight, function.solution.converged)

    def _starts(
        self, gamma: float | None, C: float, fold: Fold | None
    ) -> Iterator[KernelFunction | np.ndarray]:
        """The nearest fit: its coefficients if gamma and the rows are the same, else its scores."""
        known = self._fits[fold, gamma]
        good = [other for other, function in known.items() if function.solution.converged]
        nearest = min(good, key=partial(penalty_steps, C), default=None)
        distance = np.inf if nearest is None else penalty_steps(C, nearest)
        scores = self.known_scores.nearest(fold, (gamma, C), distance)
        if scores is not None:
            yield scores
        elif nearest is not None:
            yield known[nearest]

    def _attempts(
        self, dtype: type, starts: Iterable[KernelFunction | np.ndarray]
    ) -> Iterator[tuple[type, KernelFunction | np.ndarray | None]]:
        """Precisions and starts to try in turn."""
        for start in starts:
            yield dtype, start
        yield dtype, None
        if dtype is not np.float64:
            yield np.float64, None

    def _gram(self, gamma: float | None, C: float, dtype: type) -> GramMatrix:
        """Kernel matrix of all rows, good enough for a fit with C, by a factor where there is a thin one."""
        self._room.use(self)
        if has_factor(self.kernel(gamma), self.rows.X):
            return FactoredGram(self.rows.X)
        many = self.options.precision(len(self.rows.y)) is not np.float64
        if dtype is np.float64 and many and (Phi := self._wide_factor(gamma, C)) is not None:
            return FactoredGram(Phi)
        return WholeGram(self._matrix(gamma, dtype))

    def _among(self, gram: GramMatrix, fold: Fold | None, gamma: float | None) -> KernelMatrix:
        """What a fold trains on of a kernel matrix; the last are kept: walks of C ask for them again."""
        if fold is None or not isinstance(gram, WholeGram):
            return gram.among(None if fold is None else fold.train)
        key = fold, gamma, gram.K.dtype
        if key not in self._parts:
            while len(self._parts) >= KEPT_PARTS:
                del self._parts[next(iter(self._parts))]
            self._parts[key] = gram.among(fold.train)
        return self._parts[key]

    def _fitted_gram(self, gamma: float | None, C: float) -> GramMatrix:
        """The kernel matrix in the precision in which fits with C are tried first."""
        return self._gram(gamma, C, self.options.precision(len(self.rows.y), C * self.rows.weight.max()))

    def _compute_wide_factor(self, gamma: float | None, C: float) -> np.ndarray | None:
        return wide_factor(self.kernel(gamma), self._distances, C * self.rows.weight.max())

    def _compute_matrix(self, gamma: float | None, dtype: type) -> np.ndarray:
        kernel = self.kernel(gamma)
        if not kernel.definite or isinstance(kernel, Precomputed):
            # Refuses an indefinite matrix, or takes its positive part.
            _, Phi = span_rows(kernel, self.rows.X)
            return Phi @ Phi.T
        # Distances are worth keeping once a second width asks for them: fits to weighed features have one.
        # Sums of absolute differences are worth it at once, taking ten times as long as a copy of them.
        self._widths.add(gamma)
        if len(self._widths) == 1 and not isinstance(kernel, Laplacian):
            return kernel_matrix(kernel, self.rows.X, dtype)
        return self._distances.matrix(kernel, dtype)

    def _compute_low_rank(self, gamma: float | None) -> LowRank:
        return self._fitted_gram(gamma, 1.0).low_rank(MAX_RANK, MIN_RANK_TOL)


def joined(
    parts: Iterable[HeldOutPrediction], folds: Sequence[Fold], rows: Observations
) -> HeldOutPrediction:
    """Predictions of all rows from those of folds; the observations of a row are averaged."""
    P, converged = np.zeros((len(rows), rows.n_classes)), True
    for part, fold in zip(parts, folds, strict=True):
        P[part.rows] += fold.test_share[:, None] * np.exp(part.log_P)
        converged &= part.converged
    log_P = np.log(np.maximum(P / P.sum(axis=1, keepdims=True), np.finfo(float).tiny))
    return HeldOutPrediction(np.arange(len(rows)), log_P, rows.judged_weight, converged)


def score_log_probabilities(F: np.ndarray) -> np.ndarray:
    """Log-probabilities (n, c) of scores F (n, k)."""
    return loss_for(2 if F.shape[1] == 1 else F.shape[1]).log_probabilities(F)
