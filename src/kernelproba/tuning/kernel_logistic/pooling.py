"""Models of different kernels as one: a logarithmic opinion pool with weights from out-of-sample predictions.

    f(x) = Σₖ vₖ fₖ(x),      p = softmax f ∝ Πₖ pₖ^vₖ,      vₖ ≥ 0, Σₖ vₖ = 1

The pool of kernel machines is a kernel machine: its score is still a sum over training rows.  The weights v
minimise the log loss of predictions that no model has made of rows it has seen, plus a prior that few rows
cannot overrule: −2 Σₖ log vₖ nats, Dirichlet's.  Both are convex in v.  Models that would get little weight
are left out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernelproba.calibration import fit_temperature
from kernelproba.losses import Softmax
from kernelproba.rows.folds import Fold
from kernelproba.tuning.scorers import LOG_EPS, PSEUDO_ROWS

#: Parts in which weights are learned anew to predict the rows of the part.
PARTS = 10
#: Strength of the prior on weights: so many nats for each factor e that a weight shrinks.
PRIOR = 2.0
#: Newton steps at most, the share of one that is taken at least, and what a step gains that is the last: the
#: next one would gain about the square.
MAX_STEPS, MIN_LENGTH, DECREMENT = 50, 1e-8, 1e-6
#: Log-probabilities that are as good as any below while weights are fitted.
LOWEST = -1e6
#: Weights below which a model is left out of a pool: it would cost more than it brings.
MIN_WEIGHT = 0.1


def pooled(log_Ps: Iterable[np.ndarray], weights: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Log-probabilities (n, c) of a pool from those of its models."""
    F = sum(v * log_P for v, log_P in zip(weights, log_Ps, strict=True) if v > 0)
    return Softmax().log_probabilities(F / temperature)


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


def worthwhile(log_Ps: Sequence[np.ndarray], y: np.ndarray, weight: np.ndarray, share: float) -> list[int]:
    """Numbers of the models without which the log loss of their pool would rise by more than a share of it.

    Parameters
    ----------
    log_Ps, y, weight
        As of `fit_pool`.
    share : float
        What a model must be worth.
    """
    members = np.flatnonzero(fit_pool(log_Ps, y, weight)).tolist()

    def loss(of: Sequence[int]) -> float:
        chosen = [log_Ps[k] for k in of]
        own = pooled(chosen, fit_pool(chosen, y, weight))[np.arange(len(y)), y]
        return -float(weight @ own)

    while len(members) > 1:
        others = [[k for k in members if k != left_out] for left_out in members]
        losses = [loss(of) for of in others]
        if min(losses) > (1 + share) * loss(members):
            break
        members = others[int(np.argmin(losses))]
    return members


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
    log_P, of_all = np.full_like(log_Ps[0], -np.inf), _simplex_fit(log_Ps, y, weight)
    for fold in folds:
        share = np.zeros_like(weight)
        share[fold.train] = fold.train_share
        kept = weight * share if (weight * share).any() else weight
        weights = _simplex_fit(log_Ps, y, kept, of_all)
        temperature = fit_temperature(pooled(log_Ps, weights), y, kept)
        tested = pooled([each[fold.test] for each in log_Ps], weights, temperature)
        log_P[fold.test] = np.logaddexp(log_P[fold.test], np.log(fold.test_share)[:, None] + tested)
    return log_P


def _simplex_fit(
    log_Ps: Sequence[np.ndarray], y: np.ndarray, weight: np.ndarray, start: np.ndarray | None = None
) -> np.ndarray:
    """Best weights (K,), by Newton's method on the simplex, whose borders the prior keeps away from."""
    K, total = len(log_Ps), float(weight.sum())
    v = np.full(K, 1 / K) if start is None else start
    if K == 1 or total == 0:
        return v
    problem = _PoolProblem(np.maximum(np.stack(log_Ps), LOWEST), y, weight)
    for _ in range(MAX_STEPS):
        gradient, hessian = problem.derivatives(v)
        step = _step_of_sum_zero(gradient, hessian)
        slope = float(gradient @ step)
        if slope > -DECREMENT and (v + step).min() > 0:
            v = v + step
            break
        if (length := problem.length(v, step, slope)) == 0:
            break
        v = v + length * step
    return v / v.sum()


def _step_of_sum_zero(gradient: np.ndarray, hessian: np.ndarray) -> np.ndarray:
    """Newton's step (K,) that leaves the sum of the weights what it is."""
    solved = np.linalg.solve(hessian, np.column_stack([gradient, np.ones_like(gradient)]))
    return solved[:, 1] * (solved[:, 0].sum() / solved[:, 1].sum()) - solved[:, 0]


@dataclass(frozen=True)
class _PoolProblem:
    """Log loss of a pool as if a quarter of a row more had been seen, and the prior; log_Ps is (K, n, c).

    As in `smoothed_log_likelihood`, except that rows which a model is certain and wrong of count as they are:
    beyond the least value there all weights would be alike.
    """

    log_Ps: np.ndarray
    y: np.ndarray
    weight: np.ndarray

    def value(self, v: np.ndarray) -> float:
        log_P = pooled(self.log_Ps, v)
        fit = np.sum(self._labels * np.maximum(log_P, LOG_EPS))
        own = log_P[np.arange(len(self.y)), self.y]
        beyond = (self.weight / (self.weight.sum() + PSEUDO_ROWS)) @ np.minimum(own - LOG_EPS, 0.0)
        return float(-fit - beyond - PRIOR * np.log(v).sum() / self.weight.sum())

    @cached_property
    def _labels(self) -> np.ndarray:
        """T, (n, c): what every class counts in every row."""
        total, shape = self.weight.sum(), self.log_Ps.shape[1:]
        labels = np.full(shape, PSEUDO_ROWS / shape[1])
        labels[np.arange(len(self.y)), self.y] += total
        return labels * (self.weight / total / (total + PSEUDO_ROWS))[:, None]

    def length(self, v: np.ndarray, step: np.ndarray, slope: float) -> float:
        """How much of a step to take: not to a border, and so that the value falls; 0 if it does not."""
        length, value = min(1.0, 0.9 / max(float((-step / v).max()), 0.9)), self.value(v)
        while length > MIN_LENGTH:
            if self.value(v + length * step) <= value + 1e-4 * length * slope:
                return length
            length /= 2
        return 0.0

    def derivatives(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient Σᵢ sᵢ Σₐ (τᵢpᵢₐ − tᵢₐ) Lᵢₐₖ, and the Hessian Σᵢ sᵢτᵢ Cov(Lᵢ), of likelihood and prior.

        With L the log-probabilities of the models, p those of the pool, s the shares of the rows, and t the
        labels with their pseudo-row, τ of it in all; the latter is nothing where log p counts as its least.
        """
        total, log_P = self.weight.sum(), pooled(self.log_Ps, v)
        own = np.arange(log_P.shape[1]) == self.y[:, None]
        labels = self._labels * (own | (log_P > LOG_EPS))
        P, counted = np.exp(log_P), labels.sum(axis=1)
        mean = np.einsum("kna,na->kn", self.log_Ps, P)
        gradient = mean @ counted - np.einsum("kna,na->k", self.log_Ps, labels)
        centred = (self.log_Ps - mean[:, :, None]) * np.sqrt(P * counted[:, None])
        flat = centred.reshape(len(v), -1)
        return gradient - PRIOR / total / v, flat @ flat.T + np.diag(PRIOR / total / v**2)
