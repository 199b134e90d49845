"""Features weighed by how much the scores depend on them: one length scale for each.

A feature that says nothing still adds to the distance of rows.  Where the scores f of a fit with one length
scale hardly depend on a feature, its weight mⱼ in Σⱼ mⱼ(xⱼ − zⱼ)² may be less [Radhakrishnan et al. 2024]:

    mⱼ ∝ √Gⱼ,      Gⱼ = Σᵢ ωᵢ Σₐ (∂fₐ(xᵢ)/∂xⱼ)² / Σᵢ ωᵢ

with f centred over the classes, m of mean 1, and a gamma that leaves the mean squared distance what it was.
For the RBF kernel

    ∂fₐ(x)/∂xⱼ = −2γ (xⱼ Σₗ αₗₐ k(x, zₗ) − Σₗ αₗₐ zₗⱼ k(x, zₗ))

Weights that have seen a row mislead its leave-one-out.  So whether they pay is judged by folds, in each of
which they are learned anew without the rows held out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kernelproba.estimators.kernel_logistic.exact import KernelFunction
from kernelproba.tuning.kernel_logistic.candidates import Folds, Trials
from kernelproba.tuning.loo_report import WORTHWHILE

#: Rows at which slopes are taken.
SLOPE_ROWS = 300
#: Scores, or random sums of more of them, whose slopes are taken.
COMBINATIONS = 6
#: Least weight of a feature, relative to the mean.
LEAST = 1e-6


class HeldOut(NamedTuple):
    """Rows of a fold (r,), and their log-probabilities (r, c) by fits without them, plain and weighed."""

    rows: np.ndarray
    plain: np.ndarray
    weighed: np.ndarray


@dataclass(frozen=True)
class Relevance:
    """Weights of features (d,), and the gamma at which they leave the mean squared distance what it was."""

    weights: np.ndarray
    gamma: float

    @classmethod
    def learn(cls, trials: Trials, gamma: float, C: float) -> "Relevance":
        """Learn from the fit to all rows at a point."""
        rows = trials.training
        slopes = mean_squared_slopes(rows.X, trials.matrix(gamma), trials.fit(gamma, C), rows.weight)
        weights = np.sqrt(slopes)
        mean = weights.mean()
        weights = np.maximum(weights / mean, LEAST) if mean > 0 else np.ones_like(weights)
        variance = rows.X.var(axis=0, dtype=np.float64)
        ratio = variance.sum() / (weights @ variance) if variance.any() else 1.0
        return cls(weights, float(gamma * ratio))

    def of(self, trials: Trials) -> Trials:
        """The same fits to weighed rows."""
        rows = trials.training
        return trials.to(replace(rows, X=self.rows(rows.X)), trials.folds, weighed=True)

    def rows(self, X: np.ndarray) -> np.ndarray:
        """Weighed rows, of the type of X."""
        return (X * np.sqrt(self.weights)).astype(X.dtype, copy=False)


class WeighedFold(NamedTuple):
    """Rows held out, plain fits to the others, the weights learned from these, and weighed fits."""

    rows: np.ndarray
    plain: Trials
    relevance: Relevance
    weighed: Trials

    def predict(self, X: np.ndarray, factor: float, C: float) -> np.ndarray:
        """Log-probabilities of rows X with weights, at `factor` times the gamma of the relevance."""
        return self.weighed.predict(self.relevance.rows(X), factor * self.relevance.gamma, C)


class Weighing:
    """Weights learned anew in each fold, from plain fits to the rows outside it; each fold is learned once.

    Parameters
    ----------
    trials : Trials
        Plain fits to all rows.
    point : (gamma, C)
        From whose fits weights are learned.
    folds : sequence of (train, test)
        Numbers of rows.
    """

    def __init__(self, trials: Trials, point: tuple[float, float], folds: Folds):
        self.trials, self.point, self._folds = trials, point, folds
        self._learnt: list[WeighedFold] = []

    def held_out(self) -> Iterator[HeldOut]:
        """Predict the rows of each fold by fits to the others at the point, plain and weighed."""
        for fold in self._each():
            X = self.trials.training.X[fold.rows]
            yield HeldOut(fold.rows, fold.plain.predict(X, *self.point), fold.predict(X, 1.0, self.point[1]))

    def unseen(self, factor: float, C: float) -> np.ndarray:
        """Log-probabilities (n, c) of all rows by weighed fits that have not seen them."""
        rows = self.trials.training
        log_P = np.empty((len(rows.y), int(rows.y.max()) + 1))
        for fold in self._each():
            log_P[fold.rows] = fold.predict(rows.X[fold.rows], factor, C)
        return log_P

    def _each(self) -> Iterator[WeighedFold]:
        yield from self._learnt
        for number in range(len(self._learnt), len(self._folds)):
            train, test = self._folds[number]
            plain = self.trials.outside(number, train)
            relevance = Relevance.learn(plain, *self.point)
            self._learnt.append(WeighedFold(test, plain, relevance, relevance.of(plain)))
            yield self._learnt[-1]


class Weighed(NamedTuple):
    """Weights (d,) that were taken, the gamma of the fits relative to that of the weights, and their folds.

    Without folds the rows are so many that what weights know of one of them is little.
    """

    weights: np.ndarray
    factor: float
    weighing: Weighing | None


def pays(parts: Iterable[HeldOut], y: np.ndarray, weight: np.ndarray) -> bool:
    """Whether weights gain more on held-out rows, of classes y and of weight (n,), than chance does.

    Parts are asked for while the gain, were it to go on like this, would be worthwhile.
    """
    gain, seen = 0.0, 0
    for part in parts:
        own = np.arange(len(part.rows)), y[part.rows]
        gain += float(weight[part.rows] @ (part.weighed[own] - part.plain[own]))
        seen += len(part.rows)
        if gain * len(y) <= WORTHWHILE * seen:
            return False
    return True


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
    A = function.dual
    if (k := A.shape[1]) > 1:
        A = A - A.mean(axis=1, keepdims=True)
    if k > COMBINATIONS:
        # Σₐ gₐ² is the mean of (Σₐ ±gₐ)² over all signs: a few of them for many classes.
        A = A @ np.random.default_rng(0).choice([-1.0, 1.0], (k, COMBINATIONS)) / np.sqrt(COMBINATIONS)
    at, G = slice(SLOPE_ROWS), np.zeros(X.shape[1])
    for a in A.T:
        slopes = X[at] * (K[at] @ a)[:, None] - K[at] @ (a[:, None] * X)
        G += weight[at] @ np.square(slopes)
    return G / weight[at].sum()
