"""Feature relevance: features weighed by how much the scores depend on them: one length scale for each.

A feature that says nothing still adds to the distance of rows.  Where the scores f of a fit with one length
scale hardly depend on a feature, its weight mⱼ in Σⱼ mⱼ(xⱼ − zⱼ)² may be less [Radhakrishnan et al. 2024]:

    mⱼ ∝ √Gⱼ,      Gⱼ = Σᵢ ωᵢ Σₐ (∂fₐ(xᵢ)/∂xⱼ)² / Σᵢ ωᵢ

with f centred over the classes, m of mean 1, and a gamma that leaves the mean squared distance what it was.
For the RBF kernel

    ∂fₐ(x)/∂xⱼ = −2γ (xⱼ Σₗ αₗₐ k(x, zₗ) − Σₗ αₗₐ zₗⱼ k(x, zₗ))

and for the Laplacian one, whose mean distance Σⱼ √mⱼ |xⱼ − zⱼ| is kept,

    ∂fₐ(x)/∂xⱼ = −γ Σₗ αₗₐ sign(xⱼ − zₗⱼ) k(x, zₗ)

Weights that have seen a row mislead its leave-one-out.  So whether they pay is judged by folds, in each of
which they are learned anew without the rows held out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kernelproba.calibration import CHANCE_GAIN
from kernelproba.estimators.kernel_logistic.exact import KernelFunction
from kernelproba.kernels import Laplacian
from kernelproba.rows.folds import Fold
from kernelproba.tuning.kernel_logistic.candidates import CandidateFits, HeldOutPrediction
from kernelproba.tuning.observations import Observations
from kernelproba.tuning.scaling import has_two_values

#: Rows at which slopes are taken.
SLOPE_ROWS = 300
#: Scores, or random sums of more of them, whose slopes are taken.
COMBINATIONS = 6
#: Least weight of a feature, relative to the mean.
MIN_WEIGHT = 1e-6


class PairedPrediction(NamedTuple):
    """Rows of a fold (r,), their weights, and log-probabilities (r, c) by fits without them, both ways."""

    rows: np.ndarray
    weight: np.ndarray
    unweighed: np.ndarray
    weighed: np.ndarray


@dataclass(frozen=True)
class FeatureRelevance:
    """Weights of features (d,), and the gamma at which they leave the mean squared distance what it was."""

    weights: np.ndarray
    gamma: float

    @classmethod
    def learn(cls, fits: CandidateFits, gamma: float, C: float) -> "FeatureRelevance":
        """Learn from the fit to all rows at a point."""
        rows, absolute = fits.rows, isinstance(fits.kernel(gamma), Laplacian)
        slopes_of = mean_squared_absolute_slopes if absolute else mean_squared_slopes
        weights = np.sqrt(slopes_of(rows.X, fits.matrix(gamma), fits.fit(gamma, C), rows.weight))
        mean = weights.mean()
        weights = np.maximum(weights / mean, MIN_WEIGHT) if mean > 0 else np.ones_like(weights)
        if absolute:
            spread, factors = np.abs(rows.X - np.median(rows.X, axis=0)).mean(axis=0), np.sqrt(weights)
        else:
            spread, factors = rows.X.var(axis=0, dtype=np.float64), weights
        ratio = spread.sum() / (factors @ spread) if spread.any() else 1.0
        return cls(weights, float(gamma * ratio))

    def of(self, fits: CandidateFits) -> CandidateFits:
        """The same fits to weighed rows."""
        return fits.on(fits.rows.with_rows(self.transform(fits.rows.X)))

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Weighed rows, of the type of X."""
        return (X * np.sqrt(self.weights)).astype(X.dtype, copy=False)


class _WeighedFold(NamedTuple):
    """A fold, fits to its training rows, the relevance learned from these, and fits with that."""

    fold: Fold
    unweighed: CandidateFits
    relevance: FeatureRelevance
    weighed: CandidateFits


class RelevanceCV:
    """Relevance learned anew in each fold, from fits to the observations outside it; each fold once.

    Parameters
    ----------
    fits : CandidateFits
        Fits to all rows.
    point : (gamma, C)
        From whose fits weights are learned.
    folds : sequence of Fold
        What is held out.
    """

    def __init__(self, fits: CandidateFits, point: tuple[float, float], folds: list[Fold]):
        self.fits, self.point, self.folds = fits, point, folds
        self._learned: list[_WeighedFold] = []

    def comparisons(self) -> Iterator[PairedPrediction]:
        """Predict the rows of each fold by fits to the others at the point, without and with weights."""
        for each in self._each():
            rows = each.fold.test
            X = self.fits.rows.X[rows]
            weight = self.fits.rows.judged_weight[rows] * each.fold.test_share
            yield PairedPrediction(
                rows, weight, each.unweighed.predict(X, *self.point), self._predict(each, 1.0, self.point[1])
            )

    def held_out(self, gamma_factor: float, C: float) -> Iterator[HeldOutPrediction]:
        """Predict the rows of each fold by weighed fits at so many times the gamma of the relevance."""
        for each in self._each():
            log_P = self._predict(each, gamma_factor, C)
            converged = each.weighed.fit(gamma_factor * each.relevance.gamma, C).solution.converged
            yield HeldOutPrediction(each.fold.test, log_P, each.fold.test_share, converged)

    def _predict(self, each: _WeighedFold, gamma_factor: float, C: float) -> np.ndarray:
        X = each.relevance.transform(self.fits.rows.X[each.fold.test])
        return each.weighed.predict(X, gamma_factor * each.relevance.gamma, C)

    def _each(self) -> Iterator[_WeighedFold]:
        yield from self._learned
        for fold in self.folds[len(self._learned) :]:
            fits = self.fits.on(_training_part(self.fits.rows, fold))
            relevance = FeatureRelevance.learn(fits, *self.point)
            self._learned.append(_WeighedFold(fold, fits, relevance, relevance.of(fits)))
            yield self._learned[-1]


class WeighedFeatures(NamedTuple):
    """How features were weighed.

    Attributes
    ----------
    weights : array of shape (d,)
        Their weights.
    gamma_factor : float
        Gamma of the fits relative to that of the relevance.
    cross_validated : RelevanceCV or None
        Its folds; None where rows are so many that what weights know of one of them is little.
    """

    weights: np.ndarray
    gamma_factor: float
    cross_validated: RelevanceCV | None


def relevance_pays(parts: Iterable[PairedPrediction], rows: Observations) -> bool:
    """Whether weights gain more on held-out rows than chance does.

    Parts are asked for while the gain, were it to go on like this, would be worthwhile.
    """
    gain, seen, total = 0.0, 0.0, float(rows.judged_weight.sum())
    for part in parts:
        own = np.arange(len(part.rows)), rows.y[part.rows]
        gain += float(part.weight @ (part.weighed[own] - part.unweighed[own]))
        seen += float(part.weight.sum())
        if gain * total <= CHANCE_GAIN * seen:
            return False
    return True


def _training_part(rows: Observations, fold: Fold) -> Observations:
    """Training rows of a fold with what is left of their weights."""
    part = rows.at(fold.train)
    return part.shared(fold.train_share)


def mean_squared_slopes(
    X: np.ndarray, K: np.ndarray, function: KernelFunction, weight: np.ndarray
) -> np.ndarray:
    """G/4γ² (d,): mean square of the slopes of the scores along each feature, at the first 300 rows.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows in any order, all of them centres.
    K : array of shape (n, n)
        Their RBF kernel matrix.
    function : KernelFunction
        Scores.
    weight : array of shape (n,)
        Weights of the rows.
    """
    at, G = slice(SLOPE_ROWS), np.zeros(X.shape[1])
    for a in _combinations(function.dual).T:
        slopes = X[at] * (K[at] @ a)[:, None] - K[at] @ (a[:, None] * X)
        G += weight[at] @ np.square(slopes)
    return G / weight[at].sum()


def mean_squared_absolute_slopes(
    X: np.ndarray, K: np.ndarray, function: KernelFunction, weight: np.ndarray
) -> np.ndarray:
    """G/γ² (d,): the same of a Laplacian kernel, with the parameters of `mean_squared_slopes`."""
    at, G, two = slice(SLOPE_ROWS), np.zeros(X.shape[1]), has_two_values(X)
    # The sign of a difference of indicators is the difference itself.
    U = (X[:, two] > X[:, two].min(axis=0)).astype(np.float64)
    for a in _combinations(function.dual).T:
        KA = K[at] * a
        G[two] += weight[at] @ np.square(U[at] * KA.sum(axis=1)[:, None] - KA @ U)
        for j in np.flatnonzero(~two):
            slopes = np.einsum("ij,ij->i", KA, np.sign(X[at, j, None] - X[:, j]))
            G[j] += weight[at] @ np.square(slopes)
    return G / weight[at].sum()


def _combinations(A: np.ndarray) -> np.ndarray:
    """Coefficients (n, k) of scores that are centred over the classes, or of a few random sums of many."""
    if (k := A.shape[1]) > 1:
        A = A - A.mean(axis=1, keepdims=True)
    if k > COMBINATIONS:
        # Σₐ gₐ² is the mean of (Σₐ ±gₐ)² over all signs: a few of them for many classes.
        A = A @ np.random.default_rng(0).choice([-1.0, 1.0], (k, COMBINATIONS)) / np.sqrt(COMBINATIONS)
    return A
