"""Features weighed by how much the scores depend on them: one length scale for each.

A feature that says nothing still adds to the distance of rows.  Where the scores f of a fit with one length
scale hardly depend on a feature, its weight mⱼ in Σⱼ mⱼ(xⱼ − zⱼ)² may be less [Radhakrishnan et al. 2024]:

    mⱼ ∝ √Gⱼ,      Gⱼ = Σᵢ ωᵢ Σₐ (∂fₐ(xᵢ)/∂xⱼ)² / Σᵢ ωᵢ

with f centred over the classes, m of mean 1, and a gamma that leaves the median distance what it was.  For
the RBF kernel

    ∂fₐ(x)/∂xⱼ = −2γ (xⱼ Σₗ αₗₐ k(x, zₗ) − Σₗ αₗₐ zₗⱼ k(x, zₗ))

Weights that have seen a row mislead its leave-one-out.  So whether they pay is judged by folds, in each of
which they are learned anew without the rows held out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..estimators.classifier import Training
from ..estimators.logistic_function import KernelFunction
from ..kernels import RBF
from .left_out_report import WORTHWHILE
from .logistic_search import central_gamma
from .logistic_trials import Folds, Trials

#: Rows at which slopes are taken, and between which the median distance is.
SOME_ROWS = 300
#: Least weight of a feature, relative to the mean.
LEAST = 1e-6


class HeldOut(NamedTuple):
    """Rows of a fold (r,), and their log-probabilities (r, c) by fits without them, plain and weighed."""

    rows: np.ndarray
    plain: np.ndarray
    weighed: np.ndarray


@dataclass(frozen=True)
class Relevance:
    """Weights of features (d,), and the gamma at which they leave the median distance what it was."""

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
        X = rows.X[:SOME_ROWS]
        return cls(weights, gamma * central_gamma(RBF(), X * np.sqrt(weights)) / central_gamma(RBF(), X))

    def of(self, trials: Trials) -> Trials:
        """The same fits to weighed rows."""
        rows = trials.training
        return trials.to(replace(rows, X=self.rows(rows.X)), trials.folds, weighed=True)

    def rows(self, X: np.ndarray) -> np.ndarray:
        """Weighed rows, of the type of X."""
        return (X * np.sqrt(self.weights)).astype(X.dtype, copy=False)


@dataclass(frozen=True)
class Weighing:
    """How weights are learned: from plain fits to rows, and used in weighed ones.

    Parameters
    ----------
    trials : Trials
        Plain fits.
    point : (gamma, C)
        From whose fit weights are learned.
    factor, C : float
        Of the weighed fits: gamma relative to that of `Relevance`, and C.
    """

    trials: Trials
    point: tuple[float, float]
    factor: float
    C: float

    def held_out(self, folds: Folds) -> Iterator[HeldOut]:
        """Predict the rows of each fold by fits to the others, plain, and with weights learned there."""
        rows = self.trials.training
        for train, test in folds:
            plain = self.trials.to(rows_of(rows, train))
            relevance = Relevance.learn(plain, *self.point)
            X = rows.X[test]
            weighed = relevance.of(plain).predict(relevance.rows(X), self.factor * relevance.gamma, self.C)
            yield HeldOut(test, plain.predict(X, *self.point), weighed)

    def unseen(self, folds: Folds) -> np.ndarray:
        """Log-probabilities (n, c) of all rows by weighed fits that have not seen them."""
        parts = list(self.held_out(folds))
        log_P = np.empty((len(self.trials.training.y), parts[0].weighed.shape[1]))
        for part in parts:
            log_P[part.rows] = part.weighed
        return log_P


def rows_of(training: Training, rows: np.ndarray) -> Training:
    """Some of the rows."""
    parts = (getattr(training, name)[rows] for name in ("X", "y", "sample_weight", "weight", "index"))
    return Training(*parts)


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
    if A.shape[1] > 1:
        A = A - A.mean(axis=1, keepdims=True)
    at, G = slice(SOME_ROWS), np.zeros(X.shape[1])
    for a in A.T:
        slopes = X[at] * (K[at] @ a)[:, None] - K[at] @ (a[:, None] * X)
        G += weight[at] @ np.square(slopes)
    return G / weight[at].sum()
