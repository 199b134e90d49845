"""Classification problems whose class probabilities are known exactly.

Each class has a density that is a mixture of Gaussians, and a prior:

    p(x | y) = Σ_m w_ym N(x; μ_ym, Σ_ym)        P(y | x) ∝ π_y p(x | y)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp, softmax
from sklearn.utils import check_random_state

RandomState = int | np.random.RandomState | None


class Gaussian(NamedTuple):
    """One component of a class density: mean (d,), covariance (d, d) and weight.

    See Also
    --------
    Mixture : Classes that are such distributions.

    Examples
    --------
    >>> from kernelproba.datasets import Gaussian, Mixture
    >>> problem = Mixture([[Gaussian([0.0], [[1.0]])], [Gaussian([2.0], [[1.0]])]])
    >>> problem.predict_proba([[1.0]])
    array([[0.5, 0.5]])
    """

    mean: ArrayLike
    covariance: ArrayLike
    weight: float = 1.0


@dataclass(frozen=True)
class Mixture:
    """A classification problem with a known posterior.

    Parameters
    ----------
    densities : sequence of sequences of Gaussian
        For each class its components; their weights are normalised within the class.
    priors : array-like of shape (c,), optional
        Class priors, normalised; equal if not given.

    See Also
    --------
    Gaussian : A class of it.
    three_gaussians_problem : One that is ready.

    Examples
    --------
    >>> problem = Mixture([[Gaussian([-1], [[1]])], [Gaussian([1], [[1]])]])
    >>> problem.posterior([[0.0]])
    array([[0.5, 0.5]])
    """

    densities: Sequence[Sequence[Gaussian]]
    priors: ArrayLike | None = None

    def __post_init__(self) -> None:
        """Refuse what is not a problem of at least two classes."""
        if len(self.densities) < 2 or not all(len(density) for density in self.densities):
            raise ValueError("densities must give at least one Gaussian for each of two or more classes")
        priors = np.ones(len(self.densities)) if self.priors is None else np.asarray(self.priors, dtype=float)
        if priors.shape != (len(self.densities),) or not (priors > 0).all():
            raise ValueError(
                f"priors must hold a positive number for each of the {len(self.densities)} classes"
            )

    @property
    def classes_(self) -> np.ndarray:
        """Class labels 0 … c−1."""
        return np.arange(len(self.densities))

    @property
    def n_features_in_(self) -> int:
        """Number of features d."""
        return np.size(self.densities[0][0].mean)

    @property
    def log_priors(self) -> np.ndarray:
        """Log of the normalised priors, of shape (c,)."""
        priors = np.ones(len(self.densities)) if self.priors is None else np.asarray(self.priors, dtype=float)
        return np.log(priors / priors.sum())

    def sample(self, n: int, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
        """Draw `n` independent labelled rows: X of shape (n, d) and y of shape (n,)."""
        rng = check_random_state(random_state)
        y = rng.choice(self.classes_, size=n, p=np.exp(self.log_priors))
        X = np.empty((n, self.n_features_in_))
        for label, density in enumerate(self.densities):
            component = rng.choice(len(density), size=n, p=_weights(density))
            for m, gaussian in enumerate(density):
                rows = (y == label) & (component == m)
                X[rows] = rng.multivariate_normal(gaussian.mean, gaussian.covariance, size=rows.sum())
        return X, y

    def log_density(self, X: ArrayLike) -> np.ndarray:
        """Evaluate log p(x | y) for every row and class, of shape (n, c)."""
        X = np.asarray(X, dtype=float)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise ValueError(f"X must have shape (n, {self.n_features_in_}), not {X.shape}")
        columns = []
        for density in self.densities:
            logs = np.stack([_log_normal(X, gaussian) for gaussian in density], axis=1)
            columns.append(logsumexp(logs, axis=1, b=_weights(density)))
        return np.stack(columns, axis=1)

    def posterior(self, X: ArrayLike) -> np.ndarray:
        """P(y | x) for every row and class, of shape (n, c), finite even far from all mass."""
        return softmax(self.log_density(X) + self.log_priors, axis=1)

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Same as `posterior`, so that displays can draw the truth like a classifier."""
        return self.posterior(X)


def _weights(density: Sequence[Gaussian]) -> np.ndarray:
    weights = np.array([gaussian.weight for gaussian in density], dtype=float)
    return weights / weights.sum()


def _log_normal(X: np.ndarray, gaussian: Gaussian) -> np.ndarray:
    """Evaluate log N(x; μ, Σ) = −½(‖L⁻¹(x − μ)‖² + d log 2π) − log |L|, with Σ = LLᵀ."""
    L = np.linalg.cholesky(np.asarray(gaussian.covariance, dtype=float))
    Z = np.linalg.solve(L, (X - np.asarray(gaussian.mean, dtype=float)).T)
    return -0.5 * ((Z**2).sum(axis=0) + len(L) * np.log(2 * np.pi)) - np.log(np.diag(L)).sum()
