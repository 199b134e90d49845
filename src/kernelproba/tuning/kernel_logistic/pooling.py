"""Models of different kernels as one: a logarithmic opinion pool with weights from out-of-sample predictions.

    f(x) = Σₖ vₖ fₖ(x),      p = softmax f ∝ Πₖ pₖ^vₖ,      vₖ ≥ 0, Σₖ vₖ = 1

The pool of kernel machines is a kernel machine: its score is still a sum over training rows.  The weights v
minimise the log loss of predictions that no model has made of rows it has seen, plus a prior that few rows
cannot overrule: −2 Σₖ log vₖ nats, Dirichlet's.  Both are convex in v.  Models that would get little weight
are left out.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from kernelproba.calibration import fit_temperature
from kernelproba.rows.folds import Fold
from kernelproba.tuning.scorers import smoothed_log_likelihood

#: Parts in which weights are learned anew to predict the rows of the part.
PARTS = 10
#: Strength of the prior on weights: so many nats for each factor e that a weight shrinks.
PRIOR = 2.0
#: Least weight while weights are fitted.
FLOOR = 1e-6
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
    """Best weights (K,)."""
    K, total = len(log_Ps), float(weight.sum())
    if K == 1 or total == 0:
        return np.full(K, 1 / K)

    def loss(v: np.ndarray) -> float:
        v = np.maximum(v, FLOOR)
        fit = smoothed_log_likelihood(pooled(log_Ps, v), y, weight, total)
        return -fit - PRIOR * float(np.log(v).sum()) / total

    with warnings.catch_warnings():
        # SciPy before 1.16 says so where rounding takes a step out of the bounds.
        warnings.filterwarnings("ignore", "Values in x were outside bounds during a minimize step")
        found = minimize(
            loss,
            np.full(K, 1 / K),
            method="SLSQP",
            bounds=[(FLOOR, 1.0)] * K,
            constraints={"type": "eq", "fun": lambda v: v.sum() - 1, "jac": lambda v: np.ones_like(v)},
            options={"ftol": 1e-7, "maxiter": 50},
        )
    v = np.clip(found.x, FLOOR, None)
    return v / v.sum()
