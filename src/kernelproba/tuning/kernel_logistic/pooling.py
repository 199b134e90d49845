"""Models of different kernels as one: a logarithmic opinion pool with weights from out-of-sample predictions.

    f(x) = Σₖ vₖ fₖ(x),      p = softmax f ∝ Πₖ pₖ^vₖ,      vₖ ≥ 0, Σₖ vₖ = 1

The pool of kernel machines is a kernel machine: its score is still a sum over training rows.  The weights v
minimise the log loss of predictions that no model has made of rows it has seen, plus a prior that few rows
cannot overrule: −2 Σₖ log vₖ nats, Dirichlet's.  Both are convex in v.  Models that would get little weight
are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax

from kernelproba.calibration import fit_temperature
from kernelproba.rows.folds import Fold
from kernelproba.tuning.scorers import LOG_EPS, PSEUDO_ROWS, smoothed_log_likelihood

#: Parts in which weights are learned anew to predict the rows of the part.
PARTS = 10
#: Strength of the prior on weights: so many nats for each factor e that a weight shrinks.
PRIOR = 2.0
#: Newton steps at most, what the next one must be expected to gain, and log-probabilities that are as good as
#: any below while weights are fitted.
MAX_STEPS, DECREMENT, LOWEST = 50, 1e-10, -1e6
#: Weights below which a model is left out of a pool: it would cost more than it brings.
MIN_WEIGHT = 0.1


def pooled(log_Ps: Sequence[np.ndarray], weights: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Log-probabilities (n, c) of a pool from those of its models."""
    F = sum(v * log_P for v, log_P in zip(weights, log_Ps, strict=True) if v > 0)
    return log_softmax(F / temperature, axis=1)


def fit_pool(log_Ps: Sequence[np.ndarray], y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weights (K,) of the models, zero for those that would get little.

    A model need not be the best to be worth its weight: where several are about as good, which of them is
    best on these rows is chance, and their pool is safer than any.

    Parameters
    ----------
    log_Ps : sequence of K arrays of shape (n, c)
        Out-of-sample log-probabilities.
    y, weight : arrays of shape (n,)
        Class indices and weights.
    """
    members = list(range(len(log_Ps)))
    while True:
        weights = _simplex_fit([log_Ps[k] for k in members], y, weight)
        if weights.min() >= MIN_WEIGHT or len(members) == 1:
            break
        members.pop(int(weights.argmin()))
    full = np.zeros(len(log_Ps))
    full[members] = weights
    return full


def cross_fitted(
    log_Ps: Sequence[np.ndarray], y: np.ndarray, weight: np.ndarray, folds: Sequence[Fold]
) -> np.ndarray:
    """Log-probabilities (n, c) of the pool in which no observation has a part in its weights and temperature.

    Parameters
    ----------
    log_Ps : sequence of K arrays of shape (n, c)
        Out-of-sample log-probabilities of the models in the pool.
    y, weight : arrays of shape (n,)
        Class indices and weights.
    folds : sequence of Fold
        Of observations: were all that a row stands for left out, those of a frequent row would be missed
        in weights and temperature, and be predicted by what suits the opposite label.
    """
    log_P = np.full_like(log_Ps[0], -np.inf)
    for fold in folds:
        share = np.zeros_like(weight)
        share[fold.train] = fold.train_share
        kept = weight * share if (weight * share).any() else weight
        weights = _simplex_fit(log_Ps, y, kept)
        temperature = fit_temperature(pooled(log_Ps, weights), y, kept)
        tested = pooled([each[fold.test] for each in log_Ps], weights, temperature)
        log_P[fold.test] = np.logaddexp(log_P[fold.test], np.log(fold.test_share)[:, None] + tested)
    return log_P


def _simplex_fit(log_Ps: Sequence[np.ndarray], y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Best weights (K,), by Newton's method on the simplex, whose borders the prior keeps away from."""
    K, total = len(log_Ps), float(weight.sum())
    v = np.full(K, 1 / K)
    if K == 1 or total == 0:
        return v
    problem = _PoolProblem(np.maximum(np.stack(log_Ps), LOWEST), y, weight)
    value = problem.value(v)
    for _ in range(MAX_STEPS):
        gradient, hessian = problem.derivatives(v)
        step = _step_of_sum_zero(gradient, hessian)
        slope, length = float(gradient @ step), min(1.0, 0.9 / max(float((-step / v).max()), 1e-300))
        if slope > -DECREMENT:
            break
        while length > 1e-8 and not (ahead := problem.value(v + length * step)) <= value + 1e-4 * length * slope:
            length /= 2
        if length <= 1e-8:
            break
        v, value = v + length * step, ahead
    return v / v.sum()


def _step_of_sum_zero(gradient: np.ndarray, hessian: np.ndarray) -> np.ndarray:
    """Newton's step (K,) that leaves the sum of the weights what it is."""
    solved = np.linalg.solve(hessian, np.column_stack([gradient, np.ones_like(gradient)]))
    return solved[:, 1] * (solved[:, 0].sum() / solved[:, 1].sum()) - solved[:, 0]


@dataclass(frozen=True)
class _PoolProblem:
    """Minus `smoothed_log_likelihood` of a pool, and the prior; log_Ps has shape (K, n, c)."""

    log_Ps: np.ndarray
    y: np.ndarray
    weight: np.ndarray

    def value(self, v: np.ndarray) -> float:
        total = float(self.weight.sum())
        fit = smoothed_log_likelihood(pooled(self.log_Ps, v), self.y, self.weight, total)
        return -fit - PRIOR * float(np.log(v).sum()) / total

    def derivatives(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient Σᵢ sᵢ Σₐ (τᵢpᵢₐ − tᵢₐ) Lᵢₐₖ, and the Hessian Σᵢ sᵢτᵢ Cov(Lᵢ), of likelihood and prior.

        With L the log-probabilities of the models, p those of the pool, s the shares of the rows, and t the
        labels with their pseudo-row, τ of it in all: nothing where log p counts as its least value.
        """
        total, n = float(self.weight.sum()), len(self.y)
        log_P = pooled(self.log_Ps, v)
        labels = np.full(log_P.shape, PSEUDO_ROWS / log_P.shape[1])
        labels[np.arange(n), self.y] += total
        labels *= (self.weight / total / (total + PSEUDO_ROWS))[:, None] * (log_P > LOG_EPS)
        P = np.exp(log_P)
        mean = np.einsum("kna,na->kn", self.log_Ps, P)
        counted = labels.sum(axis=1)
        gradient = mean @ counted - np.einsum("kna,na->k", self.log_Ps, labels)
        centred = (self.log_Ps - mean[:, :, None]) * np.sqrt(P * counted[:, None])
        flat = centred.reshape(len(v), -1)
        return gradient - PRIOR / total / v, flat @ flat.T + np.diag(PRIOR / total / v**2)
