"""Coefficients of fewer centres that leave the probabilities of a model as they are.

The probabilities p of a fitted model are the targets of the smaller one, whose functions Σⱼ aⱼ k(·, zⱼ) run
over the centres z that are kept.  In features φ in which the norm of the function space is Euclidean::

    min  Σᵢ wᵢ KL(pᵢ ‖ softmax(Wᵀφ(xᵢ) + b)) / Σᵢ wᵢ  +  ½ Σⱼ λⱼ ‖Wⱼ − Vⱼ‖²

V is the projection of the model's functions on the span, the start and what the second term pulls towards: it
settles what the rows xᵢ leave open, and keeps the functions alike where there are no rows.  Without the first
term the projection is all there is; without the second the functions agree on the rows only.  With both the
divergence on new rows is smallest (`python -m benchmarks.compression`).
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from kernelproba.compression.moving import Slopes
from kernelproba.losses import loss_for

#: Most iterations, and the relative fall of the objective at which it stops.
MAX_ITER, TOL = 200, 1e-6
#: Corrections that the quasi-Newton method remembers.
MEMORY = 20
#: Most entries of the features: more rows than that leaves are not needed.
MAX_ENTRIES = 30_000_000


@dataclass(frozen=True)
class Targets:
    """Probabilities that rows are to keep.

    Attributes
    ----------
    log_P : array of shape (n, c)
        log p.
    weight : array of shape (n,)
        w.
    """

    log_P: np.ndarray
    weight: np.ndarray

    def at(self, rows: np.ndarray) -> "Targets":
        """Those of some of the rows."""
        return Targets(self.log_P[rows], self.weight[rows])

    def mean_divergence(self, log_Q: np.ndarray) -> float:
        """Weighted mean of KL(p ‖ q) for log q (n, c), in nats."""
        divergence = (np.exp(self.log_P) * (self.log_P - log_Q)).sum(axis=1)
        return float(self.weight @ divergence / self.weight.sum())

    def divergence_and_slopes(self, F: np.ndarray) -> tuple[float, np.ndarray]:
        """The same of scores F (n, k), one of two classes or one per class, and its slopes (n, k)."""
        k, c = F.shape[1], self.log_P.shape[1]
        log_Q, share = loss_for(c).log_probabilities(F), self.weight / self.weight.sum()
        gap = np.exp(log_Q[:, -k:]) - np.exp(self.log_P[:, -k:])
        return self.mean_divergence(log_Q), share[:, None] * gap

    def slopes_beside(self, others: np.ndarray) -> Slopes:
        """Slopes of the divergence along scores of some rows, to which others (N, k) are added."""
        return lambda F, rows: self.at(rows).divergence_and_slopes(F + others[rows])[1]


@dataclass(frozen=True)
class Anchor:
    """Where the coefficients are pulled to: V (m, k) by λ (m,), and the intercepts (k,) to begin with."""

    coef: np.ndarray
    strength: np.ndarray
    intercept: np.ndarray
    fit_intercept: bool


def distil(Phi: np.ndarray, targets: Targets, anchor: Anchor) -> tuple[np.ndarray, np.ndarray]:
    """Minimise the expression at the head of this module.

    Parameters
    ----------
    Phi : array of shape (n, m)
        Features φ of the rows.
    targets : Targets
        Of the same rows.
    anchor : Anchor
        Start, and second term.

    Returns
    -------
    coef : ndarray of shape (m, k)
        W.
    intercept : ndarray of shape (k,)
        b.
    """
    m, k = anchor.coef.shape
    pull = anchor.strength[:, None]

    def value_and_gradient(theta: np.ndarray) -> tuple[float, np.ndarray]:
        W, b = theta[: m * k].reshape(m, k), theta[m * k :]
        divergence, slope = targets.divergence_and_slopes(Phi @ W + b)
        away = W - anchor.coef
        value = divergence + 0.5 * float((pull * away**2).sum())
        gradient_b = slope.sum(axis=0) * anchor.fit_intercept
        return value, np.concatenate([(Phi.T @ slope + pull * away).ravel(), gradient_b])

    start = np.concatenate([anchor.coef.ravel(), anchor.intercept])
    options = {"maxiter": MAX_ITER, "maxcor": MEMORY, "ftol": TOL * 1e-3, "gtol": 1e-9}
    theta = minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", options=options).x
    return theta[: m * k].reshape(m, k), theta[m * k :]
